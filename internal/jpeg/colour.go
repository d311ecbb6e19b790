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
	luma, first := d.components[0].plane, d.components[0]
	blue, red := &d.chroma[0], &d.chroma[1]
	blue.begin(d.components[1].plane, first.across > 1, first.down > 1)
	red.begin(d.components[2].plane, first.across > 1, first.down > 1)
	for y := range d.height {
		toRGB(out.Pixels[3*y*d.width:3*(y+1)*d.width], 3, luma.row(y), blue.row(y), red.row(y))
	}
	return out
}

// toRGB converts one row to pixels of 3 or 4 bytes; the constants have 16 fractional bits.
func toRGB(out []uint8, size int, luma, blue, red []uint8) {
	for x, i := 0, 0; i < len(out); x, i = x+1, i+size {
		y, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
		out[i] = clamp(y + (91881*r+1<<15)>>16)
		out[i+1] = clamp(y + (-22554*b-46802*r+1<<15)>>16)
		out[i+2] = clamp(y + (116130*b+1<<15)>>16)
	}
}
