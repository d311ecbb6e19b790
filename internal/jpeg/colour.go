package jpeg

import "image"

// image puts the channels together.
func (d *Decoder) image() image.Image {
	bounds := image.Rect(0, 0, d.width, d.height)
	if len(d.components) == 1 {
		return &image.Gray{Pix: d.planes[0].Samples, Stride: d.planes[0].Stride, Rect: bounds}
	}
	d.pixels = sized(d.pixels, 4*d.height*d.width)
	luma, chroma := &d.components[0], &d.components[1]
	d.joiner.Across, d.joiner.Down = luma.across > chroma.across, luma.down > chroma.down
	d.joiner.Join(d.pixels, 4, &d.planes[0], &d.planes[1], &d.planes[2])
	return &image.RGBA{Pix: d.pixels, Stride: 4 * d.width, Rect: bounds}
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

// enlarger gives the rows of a chroma plane at the size of luma. What was halved is interpolated:
// three parts of the nearest sample and one of the next, each way.
type enlarger struct {
	*Joiner
	plane *Plane
	sums  []int32
	out   []uint8
}

func (e *enlarger) begin(j *Joiner, p *Plane) {
	*e = enlarger{j, p, sized(e.sums, p.Width), sized(e.out, 2*p.Width)}
}

// row returns a row that is valid until the next call.
func (e *enlarger) row(y int) []uint8 {
	if !e.Across && !e.Down {
		return e.plane.Row(y)
	}
	at := y
	if e.Down {
		at = y / 2
	}
	nearest := e.plane.Row(at)[:e.plane.Width]
	if e.Across && e.plane.Width <= 2 && !e.WebP { // libjpeg repeats such narrow planes
		for x, v := range nearest {
			e.out[2*x], e.out[2*x+1] = v, v
		}
		return e.out
	}
	if !e.Down {
		for x, v := range nearest {
			e.sums[x] = int32(v)
		}
		return e.widened(1, 2, 2)
	}
	next := max(0, min(y/2-1+2*(y%2), e.plane.Height-1))
	for x, v := range e.plane.Row(next)[:e.plane.Width] {
		e.sums[x] = 3*int32(nearest[x]) + int32(v)
	}
	switch {
	case !e.Across:
		for x, sum := range e.sums {
			e.out[x] = uint8((sum + 1 + int32(y%2)) >> 2)
		}
		return e.out
	case e.WebP:
		return e.widened(8, 8, 4)
	}
	return e.widened(8, 7, 4)
}

// widened doubles a row of sums. It adds to even and to odd columns what rounds them, and divides
// them by a power of two.
func (e *enlarger) widened(even, odd int32, shift int) []uint8 {
	left, last := e.sums[0], len(e.sums)-1
	for x, sum := range e.sums {
		right := e.sums[min(x+1, last)]
		e.out[2*x], e.out[2*x+1] = uint8((3*sum+left+even)>>shift), uint8((3*sum+right+odd)>>shift)
		left = sum
	}
	return e.out
}

// FromWebP puts the channels of a WebP file together.
func FromWebP(from *image.YCbCr) *image.RGBA { return joined(from, true).(*image.RGBA) }

// joined interpolates halved chroma, and leaves other pictures unchanged.
func joined(from *image.YCbCr, webP bool) image.Image {
	j := Joiner{WebP: webP}
	height, width := from.Rect.Dy(), from.Rect.Dx()
	blue := Plane{Height: height, Width: width, Stride: from.CStride, Samples: from.Cb}
	switch from.SubsampleRatio {
	case image.YCbCrSubsampleRatio444:
	case image.YCbCrSubsampleRatio422:
		j.Across = true
	case image.YCbCrSubsampleRatio440:
		j.Down = true
	case image.YCbCrSubsampleRatio420:
		j.Across, j.Down = true, true
	default:
		return from
	}
	if j.Across {
		blue.Width = divided(width, 2)
	}
	if j.Down {
		blue.Height = divided(height, 2)
	}
	red := blue
	red.Samples = from.Cr
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	j.Join(to.Pix, 4, &Plane{Height: height, Width: width, Stride: from.YStride, Samples: from.Y},
		&blue, &red)
	return to
}
