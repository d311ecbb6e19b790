// Package augment changes training images beyond crops and mirroring. AugMix mixes an image with
// chains of simple operations on it.
package augment

import (
	"fmt"
	"math/rand/v2"
)

// Name is the name of AugMix, with its published settings, in configurations and commands.
const Name = "augmix"

// AugMix is the augmentation of Hendrycks et al. (ICLR 2020, "AugMix: A Simple Data Processing
// Method to Improve Robustness and Uncertainty", algorithm 1): Chains chains of operations each
// change the image, their results are averaged with weights of a Dirichlet(1, ..., 1) distribution,
// and the average is mixed with the image by a weight of Beta(1, 1). The loss of Jensen-Shannon
// consistency that the paper adds isn't part of it.
type AugMix struct {
	Chains   int     // of operations, k in the paper
	Depth    int     // operations of a chain; 0 draws 1, 2 or 3 for each chain
	Severity float64 // largest strength of an operation, 0 to 10
}

// Published returns the settings of the paper: three chains of one to three operations with a
// severity of 3.
func Published() AugMix { return AugMix{Chains: 3, Severity: 3} }

// leastStrength is the least strength of an operation, in units of Severity.
const leastStrength = 0.1

// Validate returns an error that names the first setting that isn't possible, and the cure.
func (a AugMix) Validate() error {
	switch {
	case a.Chains < 1 || a.Depth < 0:
		return fmt.Errorf("augment: %d chains of %d operations: give at least one chain, and a depth of 0 for 1 to 3 operations", a.Chains, a.Depth)
	case !(a.Severity >= 0 && a.Severity <= 10):
		return fmt.Errorf("augment: severity %g: give 0 to 10, published is 3", a.Severity)
	}
	return nil
}

// Mix replaces an image by its mixture: RGB, pixels [height, width, 3]. A severity of 0 leaves it
// as it is. All random numbers come from rng. Values are rounded to whole numbers, by at most half
// of one in 255.
func (a AugMix) Mix(pixels []uint8, height, width int, rng *rand.Rand) {
	if a.Severity == 0 {
		return
	}
	weights, share := a.weights(rng)
	mixture := make([]float32, len(pixels))
	for i, value := range pixels {
		mixture[i] = float32(float32(1-share)*float32(value)) + 0.5 // a conversion isn't fused
	}
	c := newCanvas(height, width)
	for _, weight := range weights {
		copy(c.pixels, pixels)
		a.chain(c, rng)
		part := float32(share * weight)
		for i, value := range c.pixels {
			mixture[i] += float32(part * float32(value))
		}
	}
	for i, value := range mixture {
		pixels[i] = uint8(min(255, value))
	}
}

// weights draws the weights of the chains, which add up to 1, and the share of their average.
func (a AugMix) weights(rng *rand.Rand) (weights []float64, share float64) {
	weights, sum := make([]float64, a.Chains), 0.0
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
func (a AugMix) chain(c *canvas, rng *rand.Rand) {
	depth := a.Depth
	if depth == 0 {
		depth = 1 + rng.IntN(3)
	}
	for range depth {
		operation := operations[rng.IntN(len(operations))]
		amount := leastStrength + float64((a.Severity-leastStrength)*rng.Float64())
		operation.run(c, max(0, amount), rng.IntN(2) == 1)
	}
}

func newCanvas(height, width int) *canvas {
	size := height * width * 3
	return &canvas{pixels: make([]uint8, size), other: make([]uint8, size), height: height, width: width}
}
