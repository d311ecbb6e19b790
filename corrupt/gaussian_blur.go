package corrupt

// gaussianBlurSigma is the standard deviation of the blur in pixels.
var gaussianBlurSigma = levels[float64]{
	CIFAR:    {.4, .6, .7, .8, 1},
	Tiny:     {.5, .75, 1, 1.25, 1.5},
	ImageNet: {1, 2, 3, 4, 6},
}

// gaussianBlur smooths the image with a Gaussian (CORRUPT.md 2).
type gaussianBlur struct {
	deterministic
	size   Size
	blur   *gaussian
	values []float64
}

func newGaussianBlur(setup setup) operator {
	return &gaussianBlur{
		size:   setup.size,
		blur:   newGaussian(gaussianBlurSigma.at(setup), 4, nearestBorder),
		values: make([]float64, setup.size.Values()),
	}
}

func (c *gaussianBlur) apply(image []uint8, _ *draws, out []uint8) {
	toUnit(c.values, image)
	c.blur.filter(c.values, c.size, 3)
	quantiseAll(out, c.values)
}
