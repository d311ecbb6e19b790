package corrupt

import "math/rand/v2"

// gaussianNoiseSigma is the standard deviation of the noise, in units of the full range.
var gaussianNoiseSigma = levels[float64]{
	CIFAR:    {.04, .06, .08, .09, .10},
	Tiny:     {.04, .08, .12, .15, .18},
	ImageNet: {.08, .12, .18, .26, .38},
}

// gaussianNoise adds independent normal noise to every value (CORRUPT.md 1).
type gaussianNoise struct{ sigma float64 }

func newGaussianNoise(setup setup) operator {
	return &gaussianNoise{gaussianNoiseSigma.at(setup)}
}

func (c *gaussianNoise) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.fillNormals(rng, len(image))
}

func (c *gaussianNoise) apply(image []uint8, draws *draws, out []uint8) {
	normals := draws.normals[:len(image)]
	for i, v := range image {
		out[i] = quantise(unit[v] + float64(c.sigma*normals[i]))
	}
}
