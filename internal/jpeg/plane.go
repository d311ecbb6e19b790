package jpeg

// Plane is the samples of a channel, with room for whole units.
type Plane struct {
	Height, Width int // of the samples that count
	Rows, Stride  int
	Samples       []uint8
}

// resize makes room for another picture.
func (p *Plane) resize(height, width, rows, stride int) {
	*p = Plane{height, width, rows, stride, sized(p.Samples, rows*stride)}
}

// sized returns a slice of a length, in the memory of the old one where that suffices.
func sized[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

// Row returns one row, with what is behind the samples that count.
func (p *Plane) Row(y int) []uint8 { return p.Samples[y*p.Stride : (y+1)*p.Stride] }

// Store puts the samples of a block, moved up to 0..255, where they belong.
func (p *Plane) Store(b *Block, top, left int) {
	for y := range 8 {
		row := p.Row(top + y)[left:][:8]
		for x := range row {
			row[x] = clamp(b[8*y+x] + 128)
		}
	}
}

// clamp limits a value to 0..255.
func clamp(v int32) uint8 {
	if uint32(v) > 255 {
		return uint8(^(v >> 31))
	}
	return uint8(v)
}
