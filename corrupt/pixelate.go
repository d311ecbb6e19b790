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
