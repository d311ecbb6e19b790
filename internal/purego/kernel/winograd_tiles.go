package kernel

import "math"

const longestVector = 16 // numbers in the widest vectors

// tiling divides the outputs of images into tiles of 4 by 4, which may reach beyond the image's
// right and lower side.
type tiling struct {
	down, across int          // tiles of an image
	tiles        int          // of all images
	patches      squarePlaces // of the tiles' inputs
	squares      squarePlaces // of the tiles themselves
}

func newTiling(c *Convolution) tiling {
	t := tiling{down: (c.Vertical.Output + tileSide - 1) / tileSide,
		across: (c.Horizontal.Output + tileSide - 1) / tileSide}
	t.tiles = c.Images * t.down * t.across
	t.patches = squarePlaces{side: patchSide, height: c.Vertical.Input, width: c.Horizontal.Input,
		channels: c.InputChannels,
		above:    c.Vertical.Before, left: c.Horizontal.Before}
	t.squares = squarePlaces{side: tileSide, height: c.Vertical.Output, width: c.Horizontal.Output,
		channels: c.OutputChannels}
	t.patches.locate(t.down, t.across)
	t.squares.locate(t.down, t.across)
	return t
}

// tilePosition is the place of a tile: its image, and its row and column among the tiles of that.
type tilePosition struct{ image, row, column int }

// position returns a tile's place.
func (t *tiling) position(tile int) tilePosition {
	image, tile := tile/(t.down*t.across), tile%(t.down*t.across)
	return tilePosition{image, tile / t.across, tile % t.across}
}

// index returns the number of the tile at a place.
func (t *tiling) index(p tilePosition) int { return (p.image*t.down+p.row)*t.across + p.column }

// after returns the place of the next tile, which costs no division.
func (t *tiling) after(p tilePosition) tilePosition {
	if p.column++; p.column == t.across {
		p.column = 0
		p.row++
	}
	if p.row == t.down {
		p.row = 0
		p.image++
	}
	return p
}

// patch returns the addresses of a tile's inputs: a base, and offsets from it, which may be written
// to the slice given. Pixels outside of the image are read from zeros, a pixel long.
func (t *tiling) patch(p tilePosition, reader *imageReader, zeros []float32,
	offsets []uintptr) (*float32, *uintptr) {
	first := p.row*tileSide - t.patches.above
	image := reader.rows(p.image, first, first+patchSide)
	return t.patches.place(p, t.across, image, zeros, offsets)
}

// square is patch for the outputs of a tile: those outside of the image go to unused, a pixel long.
func (t *tiling) square(p tilePosition, output, unused []float32, offsets []uintptr) (*float32,
	*uintptr) {
	return t.squares.place(p, t.across, output[p.image*t.squares.numbers():], unused, offsets)
}

// squarePlaces are the places of squares of pixels, one for each tile, which may be partly outside
// of the image.
type squarePlaces struct {
	side                    int
	height, width, channels int // of an image
	above, left             int // where the first square begins
	// offsets of a square inside of the image, from its first pixel
	inside []uintptr
	// of the others, from the image's first pixel; nil for a tile inside
	partly [][]uintptr
}

// outside marks, among the offsets of a square, a pixel outside of the image.
const outside = ^uintptr(0)

// locate fills the offsets, in bytes, for the tiles of an image.
func (s *squarePlaces) locate(down, across int) {
	s.partly = make([][]uintptr, down*across)
	for y := range s.side {
		for x := range s.side {
			s.inside = append(s.inside, s.offset(y, x))
		}
	}
	for tile := range s.partly {
		if row, column := s.first(tile/across, tile%across); !s.holds(row, column) {
			s.partly[tile] = s.offsets(row, column)
		}
	}
}

// first returns the first pixel of the square of a tile.
func (s *squarePlaces) first(row, column int) (y, x int) {
	return row*tileSide - s.above, column*tileSide - s.left
}

// holds reports whether the square that begins at a pixel is inside of the image.
func (s *squarePlaces) holds(row, column int) bool {
	return row >= 0 && column >= 0 && row+s.side <= s.height && column+s.side <= s.width
}

// offsets returns the offsets of the square that begins at a pixel.
func (s *squarePlaces) offsets(row, column int) []uintptr {
	all := make([]uintptr, 0, s.side*s.side)
	for y := row; y < row+s.side; y++ {
		for x := column; x < column+s.side; x++ {
			if y < 0 || y >= s.height || x < 0 || x >= s.width {
				all = append(all, outside)
			} else {
				all = append(all, s.offset(y, x))
			}
		}
	}
	return all
}

// offset returns the distance between two pixels of an image, in bytes.
func (s *squarePlaces) offset(down, across int) uintptr {
	return uintptr((down*s.width + across) * s.channels * numberBytes)
}

// numbers returns the number of values of an image.
func (s *squarePlaces) numbers() int { return s.height * s.width * s.channels }

// place returns the addresses of the pixels of a tile's square, a base and offsets, which may be
// written to the slice given. Those outside of the image are at unused.
func (s *squarePlaces) place(p tilePosition, across int, image, unused []float32,
	offsets []uintptr) (*float32, *uintptr) {
	known := s.partly[p.row*across+p.column]
	if known == nil {
		row, column := s.first(p.row, p.column)
		return &image[(row*s.width+column)*s.channels], &s.inside[0]
	}
	beyond := offsetTo(&image[0], &unused[0])
	offsets = offsets[:len(known)]
	for i, offset := range known {
		if offset == outside {
			offset = beyond
		}
		offsets[i] = offset
	}
	return &image[0], &offsets[0]
}

// touch reads each of the cache's lines in the rows that the squares of a row of tiles begin.
func (s *squarePlaces) touch(p tilePosition, images []float32) (read uint32) {
	first, row := min(p.row*tileSide, s.height), s.width*s.channels
	rows := images[(p.image*s.height+first)*row:][:min(tileSide, s.height-first)*row]
	for i := 0; i < len(rows); i += lineNumbers {
		read |= math.Float32bits(rows[i])
	}
	return read
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
	return spectrum{row: row, frequency: channels, numbers: tiles * row,
		frequencies: multiples(frequencies, channels)}
}

// byFrequency keeps the tiles of a frequency together: products then read from few pages.
func byFrequency(tiles, channels int) spectrum {
	row := padIfAligned(channels)
	frequency := oddLines(tiles * row)
	return spectrum{row: row, frequency: frequency, numbers: frequencies * frequency,
		frequencies: multiples(frequencies, frequency)}
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
	return ((numbers+lineNumbers-1)/lineNumbers | 1) * lineNumbers
}

const lineNumbers = 64 / numberBytes // of the cache's lines
