package jpeg

// image puts the channels together.
func (d *Decoder) image() Image {
	d.pixels = sized(d.pixels, 3*d.height*d.width)
	out := Image{d.height, d.width, d.pixels}
	if len(d.components) == 1 {
		for y := range d.height {
			for x, v := range d.components[0].plane.row(y)[:d.width] {
				i := 3 * (y*d.width + x)
				out.Pixels[i], out.Pixels[i+1], out.Pixels[i+2] = v, v, v
			}
		}
		return out
	}
	luma := d.components[0].plane
	blue, red := &d.chroma[0], &d.chroma[1]
	blue.begin(d.components[1].plane, d.components[0].factor)
	red.begin(d.components[2].plane, d.components[0].factor)
	for y := range d.height {
		toRGB(out.Pixels[3*y*d.width:3*(y+1)*d.width], luma.row(y), blue.row(y), red.row(y))
	}
	return out
}

// toRGB converts one row; the constants have 16 fractional bits.
func toRGB(out, luma, blue, red []uint8) {
	for x := range len(out) / 3 {
		y, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
		out[3*x] = clamp(y + (91881*r+1<<15)>>16)
		out[3*x+1] = clamp(y + (-22554*b-46802*r+1<<15)>>16)
		out[3*x+2] = clamp(y + (116130*b+1<<15)>>16)
	}
}

// enlarger gives the rows of a chroma plane at the size of luma. What was halved is interpolated:
// three parts of the nearest sample and one of the next, each way.
type enlarger struct {
	plane *plane
	whole bool
	sums  []int32
	out   []uint8
}

// begin takes up a plane, which is of another size than luma by a factor.
func (e *enlarger) begin(p *plane, factor int) {
	*e = enlarger{p, factor == 1, sized(e.sums, p.width), sized(e.out, 2*p.width)}
}

// row returns a row that is valid until the next call.
func (e *enlarger) row(y int) []uint8 {
	if e.whole {
		return e.plane.row(y)
	}
	nearest := e.plane.row(y / 2)[:e.plane.width]
	if e.plane.width <= 2 { // libjpeg repeats what is so narrow
		for x, v := range nearest {
			e.out[2*x], e.out[2*x+1] = v, v
		}
		return e.out
	}
	next := max(0, min(y/2-1+2*(y%2), e.plane.height-1))
	for x, v := range e.plane.row(next)[:e.plane.width] {
		e.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	left, last := e.sums[0], len(e.sums)-1
	for x, sum := range e.sums {
		right := e.sums[min(x+1, last)]
		e.out[2*x], e.out[2*x+1] = uint8((3*sum+left+8)>>4), uint8((3*sum+right+7)>>4)
		left = sum
	}
	return e.out
}
