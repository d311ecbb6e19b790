package dataset

import "math/rand/v2"

// light is where the light of a scene comes from and what it does.
type light struct {
	from   vector  // direction to the light
	slope  float64 // change of brightness over half the image
	bevel  float64 // change of brightness on the subject's rim
	shadow float64 // share of the light that the subject's shadow takes
	reach  float64 // length of the shadow, in pixels
	soft   float64 // width of the shadow's edge, in pixels
}

// drawLight draws the light of a scene.
func drawLight(rng *rand.Rand) light {
	return light{
		from:   direction(rng),
		slope:  uniform(rng, 0, steepestLight),
		bevel:  uniform(rng, 0, strongestBevel),
		shadow: uniform(rng, 0, darkestShadow),
		reach:  uniform(rng, 1, 4),
		soft:   uniform(rng, 1, 5),
	}
}

// brightness returns the factor of the light at a point of the image.
func (l *light) brightness(p vector) float64 {
	return 1 + float64(l.slope*p.minus(vector{side / 2, side / 2}).dot(l.from)/(side/2))
}

// shade returns the factor of the light that the shadow of a shape leaves at a point.
func (l *light) shade(s *placed, p vector) float64 {
	return 1 - float64(l.shadow*coverage(s.distance(p.plus(l.from.times(l.reach))), l.soft))
}

// rimWidth is the width of the slanted rim of the subject, in pixels.
const rimWidth = 3

// rim returns the factor of the light on a shape's slanted rim at a point with the given distance from the outline.
func (l *light) rim(s *placed, p vector, distance float64) float64 {
	if distance < -rimWidth {
		return 1
	}
	slant := s.distance(p.plus(l.from)) - distance // 1 where the outline faces the light, -1 where it's turned away
	return 1 + float64(l.bevel*slant*(1-smooth(-distance/rimWidth)))
}
