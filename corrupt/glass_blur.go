package corrupt

import "math/rand/v2"

// glassBlurPane is the standard deviation of the blur before and after, how far pixels move, and
// how often.
var glassBlurPane = levels[struct {
	sigma                float64
	distance, iterations int
}]{
	CIFAR:    {{.05, 1, 1}, {.25, 1, 1}, {.4, 1, 1}, {.25, 1, 2}, {.4, 1, 2}},
	Tiny:     {{.1, 1, 1}, {.5, 1, 1}, {.6, 1, 2}, {.7, 2, 1}, {.9, 2, 2}},
	ImageNet: {{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}},
}

// glassBlur copies a random neighbour over each pixel, between two blurs, as frosted glass does
// (CORRUPT.md 2).
type glassBlur struct {
	gaussianBlur
	distance, iterations int
}

func newGlassBlur(setup setup) operator {
	pane := glassBlurPane.at(setup)
	return &glassBlur{newByteBlur(pane.sigma, setup.size), pane.distance, pane.iterations}
}

// draw makes offsets in -distance..distance-1 in the order in which apply visits the pixels.
func (c *glassBlur) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	rows, columns := max(0, c.size.Height-2*c.distance), max(0, c.size.Width-2*c.distance)
	draws.offsets = resize(draws.offsets, 2*c.iterations*rows*columns)
	choices := uint64(2 * c.distance)
	for i := 0; i < len(draws.offsets); i += 2 {
		bits := rng.Uint64()
		draws.offsets[i] = int8(int(bits>>32*choices>>32) - c.distance)
		draws.offsets[i+1] = int8(int(bits&0xffffffff*choices>>32) - c.distance)
	}
}

func (c *glassBlur) apply(image []uint8, draws *draws, out []uint8) {
	c.gaussianBlur.apply(image, draws, out)
	offsets := draws.offsets
	for range c.iterations {
		offsets = c.shuffle(out, offsets)
	}
	c.gaussianBlur.apply(out, draws, out)
}

// shuffle visits the pixels from the bottom right and returns the offsets that are left.
func (c *glassBlur) shuffle(pixels []uint8, offsets []int8) []int8 {
	width := c.size.Width
	for y := c.size.Height - c.distance; y > c.distance; y-- {
		for x := width - c.distance; x > c.distance; x-- {
			target := 3 * (y*width + x)
			source := target + 3*(int(offsets[1])*width+int(offsets[0]))
			pixels[target], pixels[target+1], pixels[target+2] = pixels[source], pixels[source+1],
				pixels[source+2]
			offsets = offsets[2:]
		}
	}
	return offsets
}
