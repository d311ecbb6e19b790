package corrupt

// ycc are the planes of an image in JPEG's colour space: luma at full size, the two chroma planes
// at half. The constants of the conversions have 16 fractional bits.
type ycc struct {
	luma, blue, red   *plane
	fullBlue, fullRed [2][]uint8 // two rows of chroma at full width
	sums              []int32    // a row of chroma between two rows
}

func newYCC(size Size) *ycc {
	height, width := (size.Height+1)/2, (size.Width+1)/2
	c := &ycc{
		luma: newPlane(size.Height, size.Width),
		blue: newPlane(height, width),
		red:  newPlane(height, width),
		sums: make([]int32, width),
	}
	for k := range 2 {
		c.fullBlue[k] = make([]uint8, 2*c.blue.stride)
		c.fullRed[k] = make([]uint8, 2*c.red.stride)
	}
	return c
}

// encode fills the planes from an RGB image.
func (c *ycc) encode(image []uint8) {
	height, width := c.luma.height, c.luma.width
	for y := range c.blue.height {
		for k := range 2 {
			row := min(2*y+k, height-1)
			c.encodeRow(row, k, image[3*row*width:3*(row+1)*width])
		}
		averageChroma(c.blue.row(y), c.fullBlue[0], c.fullBlue[1])
		averageChroma(c.red.row(y), c.fullRed[0], c.fullRed[1])
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
	luma, blue, red := c.luma.row(y)[:width], c.fullBlue[k], c.fullRed[k]
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
	width := c.luma.width
	for y := range c.luma.height {
		c.enlargeRow(c.fullBlue[0], c.blue, y)
		c.enlargeRow(c.fullRed[0], c.red, y)
		decodeRow(out[3*y*width:3*(y+1)*width], c.luma.row(y), c.fullBlue[0], c.fullRed[0])
	}
}

// enlargeRow interpolates row y of a chroma plane at full size: three parts of the nearest sample
// and one of the next in each direction. Planes of one or two columns are repeated instead.
func (c *ycc) enlargeRow(out []uint8, chroma *plane, y int) {
	nearest := chroma.row(y / 2)[:chroma.width]
	if chroma.width <= 2 {
		for x, v := range nearest {
			out[2*x], out[2*x+1] = v, v
		}
		return
	}
	next := max(0, min(y/2-1+2*(y%2), chroma.height-1))
	for x, v := range chroma.row(next)[:chroma.width] {
		c.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	left, last := c.sums[0], len(c.sums)-1
	for x, sum := range c.sums {
		right := c.sums[min(x+1, last)]
		pair := (*[2]uint8)(out[2*x:])
		pair[0], pair[1] = uint8((3*sum+left+8)>>4), uint8((3*sum+right+7)>>4)
		left = sum
	}
}

// decodeRow converts one row to RGB.
func decodeRow(out, luma, blue, red []uint8) {
	width := len(out) / 3
	luma, blue, red = luma[:width], blue[:width], red[:width]
	for x := range width {
		pixel := (*[3]uint8)(out[3*x:])
		y, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
		pixel[0] = clampByte(y + (91881*r+1<<15)>>16)
		pixel[1] = clampByte(y + (-22554*b-46802*r+1<<15)>>16)
		pixel[2] = clampByte(y + (116130*b+1<<15)>>16)
	}
}
