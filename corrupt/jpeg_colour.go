package corrupt

import "github.com/nbbnn/workbench/internal/jpeg"

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
