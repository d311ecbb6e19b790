package corrupt

import "github.com/nbbnn/workbench/internal/jpeg"

// jpegCompressionQuality is the quality setting, 1 to 100.
var jpegCompressionQuality = levels[int32]{
	CIFAR:    {80, 65, 58, 50, 40},
	Tiny:     {65, 58, 50, 40, 25},
	ImageNet: {25, 18, 15, 10, 7},
}

// jpegCompression compresses the image as a JPEG file of low quality (CORRUPT.md 4). It doesn't use
// image/jpeg, whose arithmetic changes between Go releases.
type jpegCompression struct {
	deterministic
	luminance, chrominance *quantiser
	image                  *ycc
}

func newJPEGCompression(setup setup) operator {
	quality := jpegCompressionQuality.at(setup)
	return &jpegCompression{
		luminance:   newQuantiser(&luminanceSteps, quality),
		chrominance: newQuantiser(&chrominanceSteps, quality),
		image:       newYCC(setup.size),
	}
}

func (c *jpegCompression) apply(image []uint8, _ *draws, out []uint8) {
	c.image.encode(image)
	c.image.luma.compress(c.luminance)
	c.image.blue.compress(c.chrominance)
	c.image.red.compress(c.chrominance)
	c.image.decode(out)
}

// The example quantisation tables of the JPEG standard, row by row: quality 50.
var (
	luminanceSteps = jpeg.Block{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	}
	chrominanceSteps = jpeg.Block{
		17, 18, 24, 47, 99, 99, 99, 99,
		18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99,
		47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
	}
)

// quantiser rounds coefficients to multiples of its steps.
type quantiser struct {
	steps       jpeg.Block
	reciprocals [64]uint64 // see reciprocal
}

// newQuantiser scales steps to a quality of 1 to 100.
func newQuantiser(steps *jpeg.Block, quality int32) *quantiser {
	percent := 200 - 2*quality
	if quality < 50 {
		percent = 5000 / quality
	}
	q := &quantiser{}
	for i, step := range steps {
		q.steps[i] = max(1, min((step*percent+50)/100, 255))
		q.reciprocals[i] = reciprocal(q.steps[i])
	}
	return q
}

// round replaces coefficients that are 8 times too large by the nearest multiples of the steps, no
// longer scaled.
func (q *quantiser) round(b *jpeg.Block) {
	for i, coefficient := range b {
		b[i] = nearestMultiple(coefficient, q.steps[i], q.reciprocals[i])
	}
}

// reciprocal returns 1/(8 step) times 2^32, rounded up.
func reciprocal(step int32) uint64 { return 1<<32/uint64(8*step) + 1 }

// nearestMultiple returns the multiple of step that is nearest to an eighth of the coefficient,
// halves away from zero. The product with the reciprocal is the exact quotient for coefficients
// below 2^20.
func nearestMultiple(coefficient, step int32, reciprocal uint64) int32 {
	sign := coefficient >> 31
	magnitude := uint64((coefficient ^ sign) - sign + 4*step)
	return (int32(magnitude*reciprocal>>32)*step ^ sign) - sign
}

// plane is one channel of a JPEG image, its sides padded to multiples of 8.
type plane struct{ jpeg.Plane }

// newPlane makes a plane whose padded sides are multiples of 8.
func newPlane(height, width int) *plane {
	rows, stride := (height+7)&^7, (width+7)&^7
	return &plane{jpeg.Plane{Height: height, Width: width, Rows: rows, Stride: stride,
		Samples: make([]uint8, rows*stride)}}
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

// ycc are the planes of an image in JPEG's colour space: luma at full size, the two chroma planes
// at half. The constants of the conversions have 16 fractional bits.
type ycc struct {
	luma, blue, red   *plane
	fullBlue, fullRed [2][]uint8 // two rows of chroma at full width
	joiner            jpeg.Joiner
}

func newYCC(size Size) *ycc {
	height, width := (size.Height+1)/2, (size.Width+1)/2
	c := &ycc{
		luma:   newPlane(size.Height, size.Width),
		blue:   newPlane(height, width),
		red:    newPlane(height, width),
		joiner: jpeg.Joiner{Across: true, Down: true},
	}
	for k := range 2 {
		c.fullBlue[k] = make([]uint8, 2*c.blue.Stride)
		c.fullRed[k] = make([]uint8, 2*c.red.Stride)
	}
	return c
}

// encode fills the planes from an RGB image.
func (c *ycc) encode(image []uint8) {
	height, width := c.luma.Height, c.luma.Width
	for y := range c.blue.Height {
		for k := range 2 {
			row := min(2*y+k, height-1)
			c.encodeRow(row, k, image[3*row*width:3*(row+1)*width])
		}
		averageChroma(c.blue.Row(y), c.fullBlue[0], c.fullBlue[1])
		averageChroma(c.red.Row(y), c.fullRed[0], c.fullRed[1])
	}
	c.luma.padRight()
	c.luma.padDown()
	c.blue.padDown()
	c.red.padDown()
}

// encodeRow converts one row; its chroma goes to the upper or the lower one of two rows at full
// size, where the last column is repeated.
func (c *ycc) encodeRow(y, k int, row []uint8) {
	width := len(row) / 3
	luma, blue, red := c.luma.Row(y)[:width], c.fullBlue[k], c.fullRed[k]
	leftBlue, leftRed := blue[:width], red[:width]
	for x := range luma {
		pixel := (*[3]uint8)(row[3*x:])
		r, g, b := int32(pixel[0]), int32(pixel[1]), int32(pixel[2])
		luma[x] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
		leftBlue[x] = uint8((-11059*r - 21709*g + 32768*b + 128<<16 + 1<<15 - 1) >> 16)
		leftRed[x] = uint8((32768*r - 27439*g - 5329*b + 128<<16 + 1<<15 - 1) >> 16)
	}
	for x := width; x < len(blue); x++ {
		blue[x], red[x] = blue[x-1], red[x-1]
	}
}

// averageChroma averages 2x2 samples; the rounding alternates between down and up along the row.
func averageChroma(out, upper, lower []uint8) {
	for x := range out {
		a, b := (*[2]uint8)(upper[2*x:]), (*[2]uint8)(lower[2*x:])
		out[x] = uint8((int32(a[0]) + int32(a[1]) + int32(b[0]) + int32(b[1]) + int32(1+x&1)) >> 2)
	}
}

// decode writes the RGB image of the planes.
func (c *ycc) decode(out []uint8) {
	c.joiner.Join(out, 3, &c.luma.Plane, &c.blue.Plane, &c.red.Plane)
}
