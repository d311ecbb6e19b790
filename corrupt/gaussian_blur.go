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
	blur := newByteBlur(gaussianBlurSigma.at(setup), setup.size)
	return &blur
}

// newByteBlur makes the blur of a standard deviation in pixels, whose apply also works in place.
func newByteBlur(sigma float64, size Size) gaussianBlur {
	return gaussianBlur{size: size, blur: newGaussian(sigma, 4, nearestBorder),
		values: make([]float64, size.Values())}
}

func (c *gaussianBlur) apply(image []uint8, _ *draws, out []uint8) {
	toUnit(c.values, image)
	c.blur.filter(c.values, c.size, 3)
	quantiseAll(out, c.values)
}
