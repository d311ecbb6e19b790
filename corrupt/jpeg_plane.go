package corrupt

import "github.com/nbbnn/workbench/internal/jpeg"

// plane is one channel of a JPEG image, its sides padded to multiples of 8.
type plane struct{ jpeg.Plane }

// newPlane makes a plane whose padded sides are multiples of 8.
func newPlane(height, width int) *plane {
	rows, stride := (height+7)&^7, (width+7)&^7
	return &plane{jpeg.Plane{Height: height, Width: width, Rows: rows, Stride: stride, Samples: make([]uint8, rows*stride)}}
}

// padRight repeats the last column.
func (p *plane) padRight() {
	for y := range p.Height {
		row := p.Row(y)
		for x := p.Width; x < p.Stride; x++ {
			row[x] = row[p.Width-1]
		}
	}
}

// padDown repeats the last row.
func (p *plane) padDown() {
	for y := p.Height; y < p.Rows; y++ {
		copy(p.Row(y), p.Row(p.Height-1))
	}
}

// compress sends every block through the transform, the quantisation and back. Huffman coding loses
// nothing, so there is none.
func (p *plane) compress(quantiser *quantiser) {
	var b jpeg.Block
	for top := 0; top < p.Rows; top += 8 {
		for left := 0; left < p.Stride; left += 8 {
			p.load(&b, top, left)
			b.Forward()
			quantiser.round(&b)
			b.Inverse()
			p.Store(&b, top, left)
		}
	}
}

func (p *plane) load(b *jpeg.Block, top, left int) {
	for y := range 8 {
		for x, v := range p.Row(top + y)[left:][:8] {
			b[8*y+x] = int32(v) - 128
		}
	}
}
