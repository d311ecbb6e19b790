package corrupt

import "github.com/nbbnn/workbench/internal/jpeg"

// plane is one channel of a JPEG image, its sides padded to multiples of 8.
type plane struct {
	height, width int // of the samples that count
	rows, stride  int // with padding
	samples       []uint8
}

// newPlane makes a plane whose padded sides are multiples of 8.
func newPlane(height, width int) *plane {
	rows, stride := (height+7)&^7, (width+7)&^7
	return &plane{height, width, rows, stride, make([]uint8, rows*stride)}
}

// row returns one padded row.
func (p *plane) row(y int) []uint8 { return p.samples[y*p.stride : (y+1)*p.stride] }

// padRight repeats the last column.
func (p *plane) padRight() {
	for y := range p.height {
		row := p.row(y)
		for x := p.width; x < p.stride; x++ {
			row[x] = row[p.width-1]
		}
	}
}

// padDown repeats the last row.
func (p *plane) padDown() {
	for y := p.height; y < p.rows; y++ {
		copy(p.row(y), p.row(p.height-1))
	}
}

// compress sends every block through the transform, the quantisation and back. Huffman coding loses
// nothing, so there is none.
func (p *plane) compress(quantiser *quantiser) {
	var b jpeg.Block
	for top := 0; top < p.rows; top += 8 {
		for left := 0; left < p.stride; left += 8 {
			p.load(&b, top, left)
			b.Forward()
			quantiser.round(&b)
			b.Inverse()
			p.store(&b, top, left)
		}
	}
}

func (p *plane) load(b *jpeg.Block, top, left int) {
	for y := range 8 {
		for x, v := range p.row(top + y)[left:][:8] {
			b[8*y+x] = int32(v) - 128
		}
	}
}

func (p *plane) store(b *jpeg.Block, top, left int) {
	for y := range 8 {
		row := p.row(top + y)[left:][:8]
		for x := range row {
			row[x] = clampByte(b[8*y+x] + 128)
		}
	}
}

// clampByte limits a value to 0..255.
func clampByte(v int32) uint8 {
	if uint32(v) > 255 {
		return uint8(^(v >> 31))
	}
	return uint8(v)
}
