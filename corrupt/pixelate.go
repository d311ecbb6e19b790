package corrupt

// pixelateFactor is the ratio of the coarse image's side to the image's.
var pixelateFactor = levels[float64]{
	CIFAR:    {.95, .9, .85, .75, .65},
	Tiny:     {.9, .8, .7, .6, .5},
	ImageNet: {.6, .5, .4, .3, .25},
}

// pixelate shrinks the image and enlarges it again, both with a box filter (CORRUPT.md 4).
type pixelate struct {
	deterministic
	shrink, enlarge *boxResize
	coarse          []uint8
}

func newPixelate(setup setup) operator {
	size := setup.size
	factor := pixelateFactor.at(setup)
	small := Size{max(1, int(float64(size.Height)*factor)), max(1, int(float64(size.Width)*factor))}
	return &pixelate{
		shrink:  newBoxResize(size, small),
		enlarge: newBoxResize(small, size),
		coarse:  make([]uint8, small.Values()),
	}
}

func (c *pixelate) apply(image []uint8, _ *draws, out []uint8) {
	c.shrink.resize(image, c.coarse)
	c.enlarge.resize(c.coarse, out)
}

// boxResize changes the size of an RGB image by averaging the source pixels under each new pixel,
// in the fixed-point arithmetic of Pillow's BOX filter: across first, rounded to bytes, then down
// (CORRUPT.md 4, pixelate).
type boxResize struct {
	from, to     Size
	across, down []boxSpan
	narrowed     []uint8 // [from.Height, to.Width, 3]
}

// boxSpan makes one new row or column: weights, times 2^22, of the old ones from first on.
type boxSpan struct {
	first   int
	weights []int
}

// boxBits is the number of fractional bits of a weight.
const boxBits = 22

func newBoxResize(from, to Size) *boxResize {
	return &boxResize{
		from: from, to: to,
		across:   boxSpans(from.Width, to.Width),
		down:     boxSpans(from.Height, to.Height),
		narrowed: make([]uint8, from.Height*to.Width*3),
	}
}

func boxSpans(from, to int) []boxSpan {
	spans := make([]boxSpan, to)
	scale := float64(from) / float64(to)
	support := max(scale, 1)
	for i := range spans {
		centre := float64((float64(i) + .5) * scale)
		first := max(0, int(centre-float64(.5*support)+.5))
		last := min(from, int(centre+float64(.5*support)+.5))
		spans[i] = boxSpanAt(centre, support, first, last)
	}
	return spans
}

// boxSpanAt weighs the old positions first..last-1 equally if they are in the box around centre,
// without zeros at the ends.
func boxSpanAt(centre, support float64, first, last int) boxSpan {
	var inside []int
	for position := first; position < last; position++ {
		if d := (float64(position) - centre + .5) / support; d > -.5 && d <= .5 {
			inside = append(inside, position)
		}
	}
	span := boxSpan{first: inside[0], weights: make([]int, len(inside))}
	for i := range span.weights {
		span.weights[i] = int(float64(1/float64(len(inside))*(1<<boxBits)) + .5)
	}
	return span
}

// resize writes the resized image to out.
func (b *boxResize) resize(image, out []uint8) {
	for y := range b.from.Height {
		old := image[y*b.from.Width*3 : (y+1)*b.from.Width*3]
		b.resizeRow(old, b.narrowed[y*b.to.Width*3:(y+1)*b.to.Width*3])
	}
	length := b.to.Width * 3
	for y, span := range b.down {
		span.averageRows(out[y*length:(y+1)*length], b.narrowed[span.first*length:])
	}
}

func (b *boxResize) resizeRow(old, out []uint8) {
	for x, span := range b.across {
		pixel, source := out[3*x:3*x+3], old[3*span.first:]
		if len(span.weights) == 1 {
			copy(pixel, source[:3])
			continue
		}
		red, green, blue := 1<<(boxBits-1), 1<<(boxBits-1), 1<<(boxBits-1)
		for i, weight := range span.weights {
			red += weight * int(source[3*i])
			green += weight * int(source[3*i+1])
			blue += weight * int(source[3*i+2])
		}
		pixel[0], pixel[1], pixel[2] = boxByte(red), boxByte(green), boxByte(blue)
	}
}

// averageRows mixes as many rows of the length of out as there are weights.
func (s boxSpan) averageRows(out, rows []uint8) {
	length := len(out)
	switch len(s.weights) {
	case 1:
		copy(out, rows)
	case 2:
		second := rows[length : 2*length]
		for i := range out {
			out[i] = boxByte(s.weights[0]*int(rows[i]) + s.weights[1]*int(second[i]) +
				1<<(boxBits-1))
		}
	default:
		for i := range out {
			sum := 1 << (boxBits - 1)
			for k, weight := range s.weights {
				sum += weight * int(rows[k*length+i])
			}
			out[i] = boxByte(sum)
		}
	}
}

// boxByte drops the fractional bits.
func boxByte(sum int) uint8 { return uint8(min(sum>>boxBits, 255)) }
