package corrupt

import "math/rand/v2"

// motionBlurLine is the radius and the standard deviation of the blur in pixels.
var motionBlurLine = levels[struct{ radius, sigma float64 }]{
	CIFAR:    {{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}},
	Tiny:     {{10, 1}, {10, 1.5}, {10, 2}, {10, 2.5}, {12, 3}},
	ImageNet: {{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}},
}

// motionBlur smears the image in a random direction within 45 degrees of the horizontal (CORRUPT.md
// 2).
type motionBlur struct{ motion *motion }

func newMotionBlur(setup setup) operator {
	line := motionBlurLine.at(setup)
	return &motionBlur{newMotion(line.radius, line.sigma, setup.size, 3)}
}

func (c *motionBlur) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.angle = uniform(rng.Float64(), -45, 45)
}

func (c *motionBlur) apply(image []uint8, draws *draws, out []uint8) {
	c.motion.blur(out, image, draws.angle)
}
