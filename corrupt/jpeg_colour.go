package corrupt

// ycc are the planes of an image in JPEG's colour space: luma at full size, the two chroma planes at half.
type ycc struct {
	luma, blue, red *plane
	full            [2][]uint8 // chroma at full size, [2 chroma rows, 2 chroma columns] of padded width
	sums            []int32    // a row of chroma between two rows
}

func newYCC(size Size) *ycc {
	height, width := (size.Height+1)/2, (size.Width+1)/2
	return &ycc{
		luma: newPlane(size.Height, size.Width),
		blue: newPlane(height, width),
		red:  newPlane(height, width),
		full: [2][]uint8{make([]uint8, 2*width), make([]uint8, 2*width)},
		sums: make([]int32, width),
	}
}

// lumaOf and the two chroma functions have constants with 16 fractional bits.
func lumaOf(r, g, b int32) uint8 { return uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16) }

func blueChromaOf(r, g, b int32) int32 {
	return (-11059*r - 21709*g + 32768*b + 128<<16 + 1<<15 - 1) >> 16
}

func redChromaOf(r, g, b int32) int32 {
	return (32768*r - 27439*g - 5329*b + 128<<16 + 1<<15 - 1) >> 16
}

// encode fills the planes from an RGB image.
func (c *ycc) encode(image []uint8) {
	height, width := c.luma.height, c.luma.width
	for y := range height {
		row := c.luma.row(y)
		source := image[3*y*width : 3*(y+1)*width]
		for x := range width {
			row[x] = lumaOf(int32(source[3*x]), int32(source[3*x+1]), int32(source[3*x+2]))
		}
	}
	for y := range c.blue.height {
		upper := image[6*y*width:][:3*width]
		lower := image[3*min(2*y+1, height-1)*width:][:3*width]
		c.encodeChroma(y, upper, lower)
	}
	c.luma.padRight()
	c.luma.padDown()
	c.blue.padDown()
	c.red.padDown()
}

// encodeChroma averages the chroma of 2x2 pixels; the rounding alternates between down and up along the row. Beyond the right edge
// the last pixel is repeated.
func (c *ycc) encodeChroma(y int, upper, lower []uint8) {
	blue, red := c.blue.row(y), c.red.row(y)
	last := len(upper) - 3
	for x := range blue {
		left, right := min(6*x, last), min(6*x+3, last)
		bias := int32(1 + x&1)
		blueSum, redSum := bias, bias
		for _, pixel := range [4][]uint8{upper[left:], upper[right:], lower[left:], lower[right:]} {
			r, g, b := int32(pixel[0]), int32(pixel[1]), int32(pixel[2])
			blueSum += blueChromaOf(r, g, b)
			redSum += redChromaOf(r, g, b)
		}
		blue[x], red[x] = uint8(blueSum>>2), uint8(redSum>>2)
	}
}

// decode writes the RGB image of the planes.
func (c *ycc) decode(out []uint8) {
	width := c.luma.width
	for y := range c.luma.height {
		c.enlargeRow(c.full[0], c.blue, y)
		c.enlargeRow(c.full[1], c.red, y)
		decodeRow(out[3*y*width:3*(y+1)*width], c.luma.row(y), c.full[0], c.full[1])
	}
}

// enlargeRow interpolates row y of a chroma plane at full size: three parts of the nearest sample and one of the
// next in each direction. Planes of one or two columns are repeated instead.
func (c *ycc) enlargeRow(out []uint8, chroma *plane, y int) {
	nearest := chroma.row(y / 2)[:chroma.width]
	if chroma.width <= 2 {
		for x := range out {
			out[x] = nearest[x/2]
		}
		return
	}
	next := max(0, min(y/2-1+2*(y%2), chroma.height-1))
	for x, v := range chroma.row(next)[:chroma.width] {
		c.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	last := chroma.width - 1
	for x, sum := range c.sums {
		out[2*x] = uint8((3*sum + c.sums[max(x-1, 0)] + 8) >> 4)
		out[2*x+1] = uint8((3*sum + c.sums[min(x+1, last)] + 7) >> 4)
	}
}

// decodeRow converts one row to RGB.
func decodeRow(out, luma, blue, red []uint8) {
	for x := 0; 3*x+2 < len(out); x++ {
		y, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
		out[3*x] = clampByte(y + (91881*r+1<<15)>>16)
		out[3*x+1] = clampByte(y + (-22554*b-46802*r+1<<15)>>16)
		out[3*x+2] = clampByte(y + (116130*b+1<<15)>>16)
	}
}
