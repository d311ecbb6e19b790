package corrupt

import (
	"math/rand/v2"
	"slices"
)

// fogDensity is the weight of the fog and how fast its details fade from coarse to fine.
var fogDensity = levels[struct{ density, decay float64 }]{
	CIFAR:    {{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}},
	Tiny:     {{.4, 3}, {.7, 3}, {1, 2.5}, {1.5, 2}, {2, 1.75}},
	ImageNet: {{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}},
}

// fog adds a fractal cloud and scales back by the brightest value of the image (CORRUPT.md 3).
type fog struct {
	size    Size
	density float64
	plasma  *plasma
}

func newFog(setup setup) operator {
	p := fogDensity.at(setup)
	return &fog{setup.size, p.density, newPlasma(setup.size, p.decay)}
}

func (c *fog) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.fillUniforms(rng, c.plasma.uniformCount())
}

func (c *fog) apply(image []uint8, draws *draws, out []uint8) {
	cloud := c.plasma.fill(draws.uniforms)
	brightest := unit[slices.Max(image)]
	length := 3 * c.size.Width
	for y := range c.size.Height {
		row := image[y*length : (y+1)*length]
		c.applyRow(row, cloud[y*c.plasma.side:], brightest, out[y*length:])
	}
}

func (c *fog) applyRow(row []uint8, cloud []float64, brightest float64, out []uint8) {
	for i, v := range row {
		x := unit[v] + float64(c.density*cloud[i/3])
		out[i] = quantise(x * brightest / (brightest + c.density))
	}
}
