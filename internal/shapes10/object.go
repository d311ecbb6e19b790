package shapes10

import (
	"math/rand/v2"
)

// placed is a shape with its position, size and orientation in the image.
type placed struct {
	shape    shape
	centre   vector  // in pixels
	radius   float64 // pixels in one unit of the shape
	turn     vector
	press    float64 // factor along one of its axes, and its inverse along the other
	mirrored bool    // left and right are exchanged
	rounding float64 // of corners, in units of the shape
}

// farAway is a distance in pixels that is beyond every soft edge.
const farAway = 3

// distance returns the approximate signed distance from p to the outline, in pixels, and farAway
// for every point well outside.
func (s *placed) distance(p vector) float64 {
	offset := p.minus(s.centre)
	reach := float64((float64(s.shape.reach*strongestPress)+s.rounding)*s.radius) + farAway
	if offset.dot(offset) > float64(reach*reach) {
		return farAway
	}
	local := offset.times(1 / s.radius).turnedBack(s.turn)
	local.x, local.y = float64(local.x*s.press), local.y/s.press
	if s.mirrored {
		local.x = -local.x
	}
	return float64((s.shape.distance(local) - s.rounding) * s.radius)
}

// object is a textured shape.
type object struct {
	placed
	surface texture
}

// over returns the colour at a point after the object is painted over the colour below.
func (t *object) over(below colour, p vector) colour {
	cover := coverage(t.distance(p), outline)
	if cover == 0 {
		return below
	}
	return below.blend(t.surface.at(p), cover)
}

// coverage returns the share of a pixel that a shape covers, given the signed distance to its
// outline and the width of its soft edge.
func coverage(distance, width float64) float64 { return smooth(0.5 - distance/width) }

// outline is the width of the soft edge of shapes, in pixels. It avoids jagged edges.
const outline = 1.5

// light is the lighting of a scene.
type light struct {
	from   vector  // unit vector towards the light
	slope  float64 // change of brightness over half the image
	bevel  float64 // change of brightness on the subject's rim
	shadow float64 // share of the light that the subject's shadow removes
	reach  float64 // length of the shadow, in pixels
	soft   float64 // width of the shadow's edge, in pixels
}

// drawLight draws the lighting of a scene.
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
	return 1 + float64(l.slope*p.minus(vector{Side / 2, Side / 2}).dot(l.from)/(Side/2))
}

// shade returns the factor of the light at a point in or near the shadow of a shape.
func (l *light) shade(s *placed, p vector) float64 {
	return 1 - float64(l.shadow*coverage(s.distance(p.plus(l.from.times(l.reach))), l.soft))
}

// rimWidth is the width of the slanted rim of the subject, in pixels.
const rimWidth = 3

// rim returns the factor of the light on a shape's slanted rim, at a point with the given distance
// from the outline.
func (l *light) rim(s *placed, p vector, distance float64) float64 {
	if distance < -rimWidth {
		return 1
	}
	// slant is 1 if the outline faces the light, -1 if it faces away.
	slant := s.distance(p.plus(l.from)) - distance
	return 1 + float64(l.bevel*slant*(1-smooth(-distance/rimWidth)))
}
