package dataset

import (
	"math"
	"math/rand/v2"
)

// colour is red, green and blue in 0..1.
type colour [channels]float64

// blend returns c for t = 0 and d for t = 1.
func (c colour) blend(d colour, t float64) colour {
	return colour{mix(c[0], d[0], t), mix(c[1], d[1], t), mix(c[2], d[2], t)}
}

// scaled returns the colour with every channel times a factor.
func (c colour) scaled(factor float64) colour {
	return colour{float64(c[0] * factor), float64(c[1] * factor), float64(c[2] * factor)}
}

// drawColour draws any colour with channels between two values.
func drawColour(rng *rand.Rand, low, high float64) colour {
	return colour{uniform(rng, low, high), uniform(rng, low, high), uniform(rng, low, high)}
}

// drawColourNear draws a colour at a distance from another, in any direction that stays inside the cube of colours.
func drawColourNear(rng *rand.Rand, c colour, distance float64) colour {
	step := drawColour(rng, -1, 1).ofLength(distance)
	for i := range c {
		if next := c[i] + step[i]; next < 0 || next > 1 {
			step[i] = -step[i]
		}
		c[i] = clamp(c[i]+step[i], 1)
	}
	return c
}

// drawColourAbove draws a colour brighter than another in every channel, at a distance from it.
func drawColourAbove(rng *rand.Rand, c colour, distance float64) colour {
	step := drawColour(rng, 0.3, 1).ofLength(distance)
	for i := range c {
		c[i] = min(c[i]+step[i], 1)
	}
	return c
}

// ofLength returns a step between colours stretched to a length.
func (c colour) ofLength(length float64) colour {
	squares := float64(c[0]*c[0]) + float64(c[1]*c[1]) + float64(c[2]*c[2])
	return c.scaled(length / max(math.Sqrt(squares), 0.1))
}
