package shapes10

import (
	"math"
	"math/rand/v2"
)

// pattern is the arrangement of a texture's two colours.
type pattern int

const (
	plain pattern = iota
	gradient
	stripes
	checks
	spots
	clouds
	patterns // the number of them
)

// texture is a surface with two colours in a pattern.
type texture struct {
	first, second colour
	pattern       pattern
	origin, turn  vector
	wavelength    float64 // of the pattern, in pixels
	// share of the second colour in stripes, size of spots
	duty  float64
	field [latticeSide * latticeSide]float64 // of clouds
}

// latticeSide is the period of clouds along each axis, in lattice points.
const latticeSide = 8

// drawTexture draws a texture of a base colour and a second colour at the given distance from it.
func drawTexture(rng *rand.Rand, base colour, contrast float64) texture {
	t := texture{
		first:      base,
		second:     drawColourNear(rng, base, contrast),
		pattern:    pattern(rng.IntN(int(patterns))),
		origin:     vector{uniform(rng, 0, Side), uniform(rng, 0, Side)},
		turn:       direction(rng),
		wavelength: uniform(rng, shortestWave, longestWave),
		duty:       uniform(rng, 0.3, 0.7),
	}
	if t.pattern == clouds {
		for i := range t.field {
			t.field[i] = rng.Float64()
		}
	}
	return t
}

// at returns the colour at a point of the image.
func (t *texture) at(p vector) colour {
	if t.pattern == plain {
		return t.first
	}
	return t.first.blend(t.second, t.share(p.minus(t.origin).turnedBack(t.turn)))
}

// share returns the share of the second colour at a point, given in the pattern's own frame.
func (t *texture) share(p vector) float64 {
	switch t.pattern {
	case gradient:
		return smooth(0.5 + float64(p.x/Side))
	case stripes:
		return t.edge(wave(p.x/t.wavelength) - t.duty)
	case checks:
		return t.edge(2 * float64((wave(p.x/t.wavelength)-0.5)*(wave(p.y/t.wavelength)-0.5)))
	case spots:
		cell := vector{fraction(p.x/t.wavelength) - 0.5, fraction(p.y/t.wavelength) - 0.5}
		return t.edge(float64(t.duty*0.6) - cell.length())
	default:
		return smooth(t.cloud(p.times(1 / t.wavelength)))
	}
}

// edge maps the height of a pattern above its threshold to a share, with an edge about one pixel
// wide.
func (t *texture) edge(height float64) float64 {
	return smooth(0.5 + float64(height*t.wavelength*0.5))
}

// wave is a triangle wave between 0 and 1 with period 1.
func wave(x float64) float64 { return math.Abs(float64(2*fraction(x)) - 1) }

// cloud returns the smoothly interpolated lattice at a point in units of its cells.
func (t *texture) cloud(p vector) float64 {
	column, row := math.Floor(p.x), math.Floor(p.y)
	right, down := smooth(p.x-column), smooth(p.y-row)
	i, j := int(row)&(latticeSide-1), int(column)&(latticeSide-1)
	below, beside := (i+1)&(latticeSide-1), (j+1)&(latticeSide-1)
	top := mix(t.field[i*latticeSide+j], t.field[i*latticeSide+beside], right)
	bottom := mix(t.field[below*latticeSide+j], t.field[below*latticeSide+beside], right)
	return mix(top, bottom, down)
}

// colour holds red, green and blue in 0..1.
type colour [channels]float64

// blend returns c for t = 0 and d for t = 1.
func (c colour) blend(d colour, t float64) colour {
	return colour{mix(c[0], d[0], t), mix(c[1], d[1], t), mix(c[2], d[2], t)}
}

// scaled returns the colour with every channel times a factor.
func (c colour) scaled(factor float64) colour {
	return colour{float64(c[0] * factor), float64(c[1] * factor), float64(c[2] * factor)}
}

// drawColour draws a colour with each channel uniform between two values.
func drawColour(rng *rand.Rand, low, high float64) colour {
	return colour{uniform(rng, low, high), uniform(rng, low, high), uniform(rng, low, high)}
}

// drawColourNear draws a colour at a distance from another, mirroring each channel that would leave
// 0..1.
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

// ofLength returns c scaled to a length.
func (c colour) ofLength(length float64) colour {
	squares := float64(c[0]*c[0]) + float64(c[1]*c[1]) + float64(c[2]*c[2])
	return c.scaled(length / max(math.Sqrt(squares), 0.1))
}
