package jpeg

// image puts the channels together.
func (d *Decoder) image() Image {
	d.pixels = sized(d.pixels, 3*d.height*d.width)
	if len(d.components) > 1 {
		d.join(d.pixels, 3)
		return Image{d.height, d.width, d.pixels}
	}
	for y := range d.height {
		for x, v := range d.components[0].plane.Row(y)[:d.width] {
			i := 3 * (y*d.width + x)
			d.pixels[i], d.pixels[i+1], d.pixels[i+2] = v, v, v
		}
	}
	return Image{d.height, d.width, d.pixels}
}

// join writes the pixels of a picture with colours.
func (d *Decoder) join(out []uint8, size int) {
	first := d.components[0]
	d.joiner.Across, d.joiner.Down = first.across > 1, first.down > 1
	d.joiner.Join(out, size, &d.planes[0], &d.planes[1], &d.planes[2])
}

// Joiner puts luma and chroma together as libjpeg does. It keeps buffers between pictures.
type Joiner struct {
	Across, Down bool // which ways chroma was halved
	WebP         bool // computes as libwebp
	blue, red    enlarger
}

// Join writes pixels of 3 bytes, or of 4 of which the last is 255.
func (j *Joiner) Join(out []uint8, size int, luma, blue, red *Plane) {
	j.blue.begin(j, blue)
	j.red.begin(j, red)
	put, length := toRGB, size*luma.Width
	if j.WebP {
		put = videoToRGB
	}
	for y := range luma.Height {
		row := out[y*length:][:length]
		put(row, size, luma.Samples[y*luma.Stride:], j.blue.row(y), j.red.row(y))
		for x := 3; size == 4 && x < length; x += 4 {
			row[x] = 255
		}
	}
}

// toRGB converts one row; the constants have 16 fractional bits.
func toRGB(out []uint8, size int, luma, blue, red []uint8) {
	width := len(out) / size
	luma, blue, red = luma[:width], blue[:width], red[:width]
	for x := range width {
		pixel := (*[3]uint8)(out[size*x:])
		y, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
		pixel[0] = clamp(y + (91881*r+1<<15)>>16)
		pixel[1] = clamp(y + (-22554*b-46802*r+1<<15)>>16)
		pixel[2] = clamp(y + (116130*b+1<<15)>>16)
	}
}

// videoToRGB converts one row, whose luma is 16 to 235, with the constants of libwebp, which have
// 14 fractional bits.
func videoToRGB(out []uint8, size int, luma, blue, red []uint8) {
	for x := range len(out) / size {
		pixel := (*[3]uint8)(out[size*x:])
		y, b, r := 19077*int32(luma[x])>>8, int32(blue[x]), int32(red[x])
		pixel[0] = clamp((y + 26149*r>>8 - 14234) >> 6)
		pixel[1] = clamp((y - 6419*b>>8 - 13320*r>>8 + 8708) >> 6)
		pixel[2] = clamp((y + 33050*b>>8 - 17685) >> 6)
	}
}
