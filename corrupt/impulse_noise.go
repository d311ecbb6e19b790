package corrupt

import "math/rand/v2"

// impulseNoiseAmount is the probability that a single value, not a whole pixel, is replaced.
var impulseNoiseAmount = levels[float64]{
	CIFAR:    {.01, .02, .03, .05, .07},
	Tiny:     {.01, .02, .05, .08, .14},
	ImageNet: {.03, .06, .09, .17, .27},
}

// impulseNoise replaces some values by the lowest or the highest one: coloured salt and pepper
// (CORRUPT.md 1).
type impulseNoise struct{ amount float64 }

func newImpulseNoise(setup setup) operator {
	return &impulseNoise{impulseNoiseAmount.at(setup)}
}

// draw makes two uniform numbers a value: whether it's replaced, and by what. The second is drawn
// only where it matters.
func (c *impulseNoise) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.uniforms = resize(draws.uniforms, 2*len(image))
	replace, salt := draws.uniforms[:len(image)], draws.uniforms[len(image):]
	var bits uint64
	for i := range replace {
		if bits >>= 32; i%2 == 0 {
			bits = rng.Uint64()
		}
		replace[i] = float64(uint32(bits)) * 0x1p-32
		if replace[i] <= c.amount {
			salt[i] = rng.Float64()
		}
	}
}

func (c *impulseNoise) apply(image []uint8, draws *draws, out []uint8) {
	replace, salt := draws.uniforms[:len(image)], draws.uniforms[len(image):]
	for i, v := range image {
		out[i] = v
		if replace[i] <= c.amount {
			out[i] = 0
			if salt[i] <= .5 {
				out[i] = 255
			}
		}
	}
}
