// Package augment changes training images beyond crops and mirroring. AugMix mixes an image with
// chains of simple operations on it.
package augment

import "math/rand/v2"

// Name is the name of AugMix, with its published settings, in configurations and commands.
const Name = "augmix"

// The published settings.
const (
	chains        = 3   // of operations
	mostDepth     = 3   // operations of a chain, one at least
	severity      = 3.0 // largest strength of an operation, of 10
	leastStrength = 0.1
)

// Mix replaces an image by its mixture: RGB, pixels [height, width, 3]. It's the augmentation of
// Hendrycks et al. (ICLR 2020, "AugMix: A Simple Data Processing Method to Improve Robustness and
// Uncertainty", algorithm 1): three chains of operations each change the image, their results are
// averaged with weights of a Dirichlet(1, 1, 1) distribution, and the average is mixed with the
// image by a weight of Beta(1, 1). The loss of Jensen-Shannon consistency that the paper adds isn't
// part of it. All random numbers come from rng. Values are rounded to whole numbers, by at most
// half of one in 255.
func Mix(pixels []uint8, height, width int, rng *rand.Rand) {
	weights, share := drawWeights(rng)
	mixture := make([]float32, len(pixels))
	for i, value := range pixels {
		mixture[i] = float32(float32(1-share)*float32(value)) + 0.5 // a conversion isn't fused
	}
	c := newCanvas(height, width)
	for _, weight := range weights {
		copy(c.pixels, pixels)
		c.chain(rng)
		part := float32(share * weight)
		for i, value := range c.pixels {
			mixture[i] += float32(part * float32(value))
		}
	}
	for i, value := range mixture {
		pixels[i] = uint8(min(255, value))
	}
}

// drawWeights draws the weights of the chains, which add up to 1, and the share of their average.
func drawWeights(rng *rand.Rand) (weights [chains]float64, share float64) {
	sum := 0.0
	for i := range weights {
		weights[i] = rng.ExpFloat64()
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, rng.Float64()
}

// chain carries out random operations of random strength.
func (c *canvas) chain(rng *rand.Rand) {
	for range 1 + rng.IntN(mostDepth) {
		operation := operations[rng.IntN(len(operations))]
		amount := leastStrength + float64((severity-leastStrength)*rng.Float64())
		if rng.IntN(2) == 1 {
			amount = -amount
		}
		operation.run(c, amount)
	}
}

func newCanvas(height, width int) *canvas {
	size := height * width * 3
	return &canvas{pixels: make([]uint8, size), other: make([]uint8, size), height: height,
		width: width}
}
