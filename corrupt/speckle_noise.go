package corrupt

import "math/rand/v2"

// speckleNoiseSigma is the standard deviation of the noise, relative to the value.
var speckleNoiseSigma = levels[float64]{
	CIFAR:    {.06, .10, .12, .16, .20},
	Tiny:     {.15, .20, .25, .30, .35},
	ImageNet: {.15, .20, .35, .45, .60},
}

// speckleNoise adds normal noise in proportion to every value (CORRUPT.md 1).
type speckleNoise struct{ sigma float64 }

func newSpeckleNoise(setup setup) operator {
	return &speckleNoise{speckleNoiseSigma.at(setup)}
}

func (c *speckleNoise) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.fillNormals(rng, len(image))
}

func (c *speckleNoise) apply(image []uint8, draws *draws, out []uint8) {
	normals := draws.normals[:len(image)]
	for i, v := range image {
		x := unit[v]
		out[i] = quantise(x + float64(x*float64(c.sigma*normals[i])))
	}
}
