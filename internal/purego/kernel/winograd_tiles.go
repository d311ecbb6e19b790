package kernel

const longestVector = 16 // numbers in the widest vectors

// tiling divides the outputs of images into tiles of 4 by 4, which may reach beyond the image's
// right and lower side.
type tiling struct {
	convolution  *Convolution
	down, across int       // tiles of an image
	tiles        int       // of all images
	inside       []uintptr // offsets of a patch that lies inside of the image, from its first pixel
	whole        []uintptr // offsets of a tile that lies inside of the image
}

func newTiling(c *Convolution) tiling {
	t := tiling{convolution: c, down: (c.Vertical.Output + tileSide - 1) / tileSide, across: (c.Horizontal.Output + tileSide - 1) / tileSide}
	t.tiles = c.Images * t.down * t.across
	t.inside = squareOffsets(patchSide, c.Horizontal.Input*c.InputChannels, c.InputChannels)
	t.whole = squareOffsets(tileSide, c.Horizontal.Output*c.OutputChannels, c.OutputChannels)
	return t
}

// squareOffsets are the offsets, in bytes, of a square of pixels.
func squareOffsets(side, row, pixel int) []uintptr {
	offsets := make([]uintptr, 0, side*side)
	for y := range side {
		for x := range side {
			offsets = append(offsets, uintptr((y*row+x*pixel)*numberBytes))
		}
	}
	return offsets
}

// position returns a tile's image and its first output.
func (t *tiling) position(tile int) (image, row, column int) {
	image, tile = tile/(t.down*t.across), tile%(t.down*t.across)
	return image, tile / t.across * tileSide, tile % t.across * tileSide
}

// patch returns the addresses of a tile's inputs: a base, and offsets from it, which may be written
// to the slice given. Pixels outside of the image are read from zeros, a pixel long.
func (t *tiling) patch(tile int, reader *imageReader, zeros []float32, offsets []uintptr) (*float32, *uintptr) {
	image, row, column := t.position(tile)
	s := square{
		side: patchSide, height: t.convolution.Vertical.Input, width: t.convolution.Horizontal.Input, channels: t.convolution.InputChannels,
		row: row - t.convolution.Vertical.Before, column: column - t.convolution.Horizontal.Before,
	}
	return s.place(0, reader.rows(image, s.row, s.row+patchSide), zeros, t.inside, offsets)
}

// square is patch for the outputs of a tile: those outside of the image go to unused, a pixel long.
func (t *tiling) square(tile int, output, unused []float32, offsets []uintptr) (*float32, *uintptr) {
	image, row, column := t.position(tile)
	s := square{
		side: tileSide, height: t.convolution.Vertical.Output, width: t.convolution.Horizontal.Output, channels: t.convolution.OutputChannels,
		row: row, column: column,
	}
	return s.place(image, output, unused, t.whole, offsets)
}

// square is a square of pixels, which may lie partly outside of its image.
type square struct {
	side                    int
	height, width, channels int // of the image
	row, column             int // of its first pixel
}

// place returns the addresses of a square's pixels; inside are the offsets for a square that lies
// inside its image.
func (s square) place(image int, images, outside []float32, inside, offsets []uintptr) (*float32, *uintptr) {
	first := image * s.height * s.width
	if s.row >= 0 && s.column >= 0 && s.row+s.side <= s.height && s.column+s.side <= s.width {
		return &images[(first+s.row*s.width+s.column)*s.channels], &inside[0]
	}
	base := &images[first*s.channels]
	beyond := offsetTo(base, &outside[0])
	next := 0
	for y := s.row; y < s.row+s.side; y++ {
		for x := s.column; x < s.column+s.side; x++ {
			offsets[next] = beyond
			if y >= 0 && y < s.height && x >= 0 && x < s.width {
				offsets[next] = uintptr((y*s.width + x) * s.channels * numberBytes)
			}
			next++
		}
	}
	return base, &offsets[0]
}

// spectrum is the memory layout of a group of tiles at their frequencies.
type spectrum struct {
	row, frequency int       // numbers between two tiles, and between two frequencies
	numbers        int       // of all
	frequencies    []uintptr // offsets of the frequencies, in bytes
}

// byTile keeps the frequencies of a tile together: transforms then write to few pages of memory.
func byTile(tiles, channels int) spectrum {
	row := oddLines(frequencies * channels)
	return spectrum{row: row, frequency: channels, numbers: tiles * row, frequencies: multiples(frequencies, channels)}
}

// byFrequency keeps the tiles of a frequency together: products then read from few pages.
func byFrequency(tiles, channels int) spectrum {
	row := padIfAligned(channels)
	frequency := oddLines(tiles * row)
	return spectrum{row: row, frequency: frequency, numbers: frequencies * frequency, frequencies: multiples(frequencies, frequency)}
}

// at returns the index of a tile's first value at a frequency.
func (s *spectrum) at(tile, frequency int) int { return tile*s.row + frequency*s.frequency }

// stride returns the distance between two tiles, in bytes.
func (s *spectrum) stride() uintptr { return uintptr(s.row * numberBytes) }

// multiples returns the first multiples of a number of values, in bytes.
func multiples(count, numbers int) []uintptr {
	all := make([]uintptr, count)
	for i := range all {
		all[i] = uintptr(i * numbers * numberBytes)
	}
	return all
}

// padIfAligned pads strides that are multiples of four cache lines, to avoid cache-set conflicts.
func padIfAligned(numbers int) int {
	if numbers%64 == 0 {
		return oddLines(numbers)
	}
	return numbers
}

// oddLines rounds a number of values up to an odd number of cache lines, so that neighbouring rows
// fall into different cache sets.
func oddLines(numbers int) int {
	const line = 64 / numberBytes
	return ((numbers+line-1)/line | 1) * line
}
