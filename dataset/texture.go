package dataset

import (
	"math"
	"math/rand/v2"
)

// pattern says how a texture goes from one colour to the other.
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

// texture is a surface of two colours in a pattern.
type texture struct {
	first, second colour
	pattern       pattern
	origin, turn  vector
	wavelength    float64                            // of the pattern, in pixels
	duty          float64                            // share of the second colour in stripes, size of spots
	field         [latticeSide * latticeSide]float64 // of clouds
}

// latticeSide is the number of lattice points of clouds along each axis; they repeat after it.
const latticeSide = 8

// drawTexture draws a texture around a base colour whose second colour is a contrast away.
func drawTexture(rng *rand.Rand, base colour, contrast float64) texture {
	t := texture{
		first:      base,
		second:     drawColourNear(rng, base, contrast),
		pattern:    pattern(rng.IntN(int(patterns))),
		origin:     vector{uniform(rng, 0, side), uniform(rng, 0, side)},
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

// share returns how much of the second colour there is at a point of the pattern's own frame.
func (t *texture) share(p vector) float64 {
	switch t.pattern {
	case gradient:
		return smooth(0.5 + float64(p.x/side))
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

// edge turns the height of a pattern over its threshold into a share with an edge about one pixel wide.
func (t *texture) edge(height float64) float64 { return smooth(0.5 + float64(height*t.wavelength*0.5)) }

// wave is a triangle wave between 0 and 1 with period 1.
func wave(x float64) float64 { return math.Abs(float64(2*fraction(x)) - 1) }

// cloud interpolates the lattice smoothly.
func (t *texture) cloud(p vector) float64 {
	column, row := math.Floor(p.x), math.Floor(p.y)
	right, down := smooth(p.x-column), smooth(p.y-row)
	i, j := int(row)&(latticeSide-1), int(column)&(latticeSide-1)
	below, beside := (i+1)&(latticeSide-1), (j+1)&(latticeSide-1)
	top := mix(t.field[i*latticeSide+j], t.field[i*latticeSide+beside], right)
	bottom := mix(t.field[below*latticeSide+j], t.field[below*latticeSide+beside], right)
	return mix(top, bottom, down)
}
