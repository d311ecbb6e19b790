package corrupt

import "math/rand/v2"

// shotNoiseRate is the mean count of a white value.
var shotNoiseRate = levels[int]{
	CIFAR:    {500, 250, 100, 75, 50},
	Tiny:     {250, 100, 50, 30, 15},
	ImageNet: {60, 25, 12, 5, 3},
}

// shotNoise replaces every value by a Poisson count of that mean, scaled back (CORRUPT.md 1).
type shotNoise struct {
	rate     int
	samplers [256]*poisson // of the counts of each byte, made when it first occurs
	bytes    []uint8       // the byte of each count below the rate; all others are white
}

func newShotNoise(setup setup) operator {
	c := &shotNoise{rate: shotNoiseRate.at(setup)}
	for count := range c.rate {
		c.bytes = append(c.bytes, quantise(float64(count)/float64(c.rate)))
	}
	return c
}

func (c *shotNoise) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.counts = resize(draws.counts, len(image))
	for i, v := range image {
		if c.samplers[v] == nil {
			c.samplers[v] = newPoisson(unit[v] * float64(c.rate))
		}
		draws.counts[i] = c.samplers[v].sample(rng)
	}
}

func (c *shotNoise) apply(image []uint8, draws *draws, out []uint8) {
	for i, count := range draws.counts[:len(image)] {
		out[i] = 255
		if count < len(c.bytes) {
			out[i] = c.bytes[count]
		}
	}
}
