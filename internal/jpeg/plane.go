package jpeg

// plane is the samples of a channel, with room for whole units.
type plane struct {
	height, width int // of the samples that count
	rows, stride  int
	samples       []uint8
}

// resize makes room for another picture.
func (p *plane) resize(height, width, rows, stride int) {
	*p = plane{height, width, rows, stride, sized(p.samples, rows*stride)}
}

// sized returns a slice of a length, in the memory of the old one where that suffices.
func sized[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

func (p *plane) row(y int) []uint8 { return p.samples[y*p.stride : (y+1)*p.stride] }

// store puts the samples of a block, moved up to 0..255, where they belong.
func (p *plane) store(b *Block, top, left int) {
	for y := range 8 {
		row := p.row(top + y)[left:][:8]
		for x := range row {
			row[x] = clamp(b[8*y+x] + 128)
		}
	}
}

// clamp limits a value to 0..255.
func clamp(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
