//go:build amd64

package kernel

// spectrum is where the numbers of a group of tiles lie at their frequencies.
type spectrum struct {
	row, frequency int       // numbers between two tiles, and between two frequencies
	numbers        int       // of all
	frequencies    []uintptr // offsets of the frequencies, in bytes
}

// byTile keeps the frequencies of a tile together: transforms then write to few pages of memory.
func byTile(tiles, channels int) spectrum {
	row := apart(frequencies * channels)
	return spectrum{row: row, frequency: channels, numbers: tiles * row, frequencies: multiples(frequencies, channels)}
}

// byFrequency keeps the tiles of a frequency together: products then read from few pages.
func byFrequency(tiles, channels int) spectrum {
	row := apartIfAligned(channels)
	frequency := apart(tiles * row)
	return spectrum{row: row, frequency: frequency, numbers: frequencies * frequency, frequencies: multiples(frequencies, frequency)}
}

// at is where the numbers of a tile begin at a frequency.
func (s *spectrum) at(tile, frequency int) int { return tile*s.row + frequency*s.frequency }

// stride is what lies between two tiles, in bytes.
func (s *spectrum) stride() uintptr { return uintptr(s.row * numberBytes) }

// multiples are the first so many multiples of a count of numbers, in bytes.
func multiples(count, numbers int) []uintptr {
	all := make([]uintptr, count)
	for i := range all {
		all[i] = uintptr(i * numbers * numberBytes)
	}
	return all
}

// apartIfAligned is apart for what would else be a multiple of four lines, and so fall on few places.
func apartIfAligned(numbers int) int {
	if numbers%64 == 0 {
		return apart(numbers)
	}
	return numbers
}

// apart rounds a count of numbers up to an odd number of lines of the cache, so that neighbours fall on different places in it.
func apart(numbers int) int {
	const line = 64 / numberBytes
	return ((numbers+line-1)/line | 1) * line
}
