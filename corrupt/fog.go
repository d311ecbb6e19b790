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

// plasma is a periodic fractal map made by the diamond-square algorithm (CORRUPT.md 3, fog).
type plasma struct {
	side     int // a power of two
	decay    float64
	values   []float64 // [side, side]
	uniforms []float64 // unused ones
}

// newPlasma makes maps of the next power of two of the longer side.
func newPlasma(size Size, decay float64) *plasma {
	side := 2
	for side < max(size.Height, size.Width) {
		side *= 2
	}
	return &plasma{side: side, decay: decay, values: make([]float64, side*side)}
}

// uniformCount returns the number of uniform draws that a map takes.
func (p *plasma) uniformCount() int { return p.side*p.side - 1 }

// fill computes the map, scaled to 0..1, and returns it.
func (p *plasma) fill(uniforms []float64) []float64 {
	p.uniforms = uniforms
	p.values[0] = 0
	amplitude := 100.0
	for step := p.side; step >= 2; step /= 2 {
		p.fillSquares(step, amplitude)
		p.fillDiamonds(step, amplitude)
		amplitude /= p.decay
	}
	p.stretch()
	return p.values
}

// at wraps around: the map is periodic.
func (p *plasma) at(y, x int) float64 {
	return p.values[(y&(p.side-1))*p.side+x&(p.side-1)]
}

// noisyMean returns a quarter of the sum plus noise; the amplitude enters twice, as in the
// reference.
func (p *plasma) noisyMean(sum, amplitude float64) float64 {
	noise := float64(amplitude * uniform(p.uniforms[0], -amplitude, amplitude))
	p.uniforms = p.uniforms[1:]
	return float64(sum/4) + noise
}

// fillSquares sets the centres of the squares that the known points form.
func (p *plasma) fillSquares(step int, amplitude float64) {
	for y := 0; y < p.side; y += step {
		for x := 0; x < p.side; x += step {
			left := p.at(y, x) + p.at(y+step, x)
			right := p.at(y, x+step) + p.at(y+step, x+step)
			p.values[(y+step/2)*p.side+x+step/2] = p.noisyMean(left+right, amplitude)
		}
	}
}

// fillDiamonds sets the middle of each square's top edge, then of each left edge.
func (p *plasma) fillDiamonds(step int, amplitude float64) {
	half := step / 2
	for y := 0; y < p.side; y += step {
		for x := 0; x < p.side; x += step {
			centres := p.at(y+half, x+half) + p.at(y-half, x+half)
			p.values[y*p.side+x+half] = p.noisyMean(centres+(p.at(y, x)+p.at(y, x+step)), amplitude)
		}
	}
	for y := 0; y < p.side; y += step {
		for x := 0; x < p.side; x += step {
			centres := p.at(y+half, x+half) + p.at(y+half, x-half)
			p.values[(y+half)*p.side+x] = p.noisyMean(centres+(p.at(y, x)+p.at(y+step, x)),
				amplitude)
		}
	}
}

// stretch maps the values to 0..1.
func (p *plasma) stretch() {
	low, high := p.values[0], p.values[0]
	for _, v := range p.values {
		low, high = min(low, v), max(high, v)
	}
	for i, v := range p.values {
		p.values[i] = (v - low) / (high - low)
	}
}
