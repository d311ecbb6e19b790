package shapes10

import "math/rand/v2"

// scene describes one image before it is drawn.
type scene struct {
	background texture
	behind     []object
	subject    object
	front      []object
	light      light
	finish     finish
}

// drawScene draws a scene whose subject has the given shape. Colour, place, size and surface are
// independent of the shape. The clutter, from 0 to 1, makes the image harder in every way, so that
// a set holds plain images as well as confusing ones.
func drawScene(rng *rand.Rand, colours *palette, subject shape) *scene {
	clutter := rng.Float64()
	base := colours.drawBackground(rng)
	s := &scene{background: drawTexture(rng, base, colours.texture*clutter)}
	s.subject = drawSubject(rng, colours, subject, base, clutter)
	for range rng.IntN(1 + int(float64(clutter*(mostDistractors+1)))) {
		s.behind = append(s.behind, drawDistractor(rng, colours, base))
	}
	if chance(rng, clutter) {
		s.front = append(s.front, drawOccluder(rng, colours, &s.subject.placed))
	}
	s.light = drawLight(rng)
	s.finish = drawFinish(rng)
	return s
}

// drawSubject draws the shape that gives the image its class: fully inside the image, and of a
// colour that the palette sets apart from the background.
func drawSubject(rng *rand.Rand, colours *palette, subject shape, background colour,
	clutter float64) object {
	radius := uniform(rng, smallestRadius, largestRadius)
	margin := radius + 1
	base := colours.drawSubject(rng, background, clutter)
	return object{
		placed: placed{
			shape:    subject,
			centre:   vector{uniform(rng, margin, Side-margin), uniform(rng, margin, Side-margin)},
			radius:   radius,
			turn:     tilt(rng),
			press:    uniform(rng, 1/strongestPress, strongestPress),
			mirrored: chance(rng, 0.5),
			rounding: uniform(rng, 0, roundestCorner),
		},
		surface: drawTexture(rng, base, colours.texture*clutter),
	}
}

// drawDistractor draws a bar across the image, or a shape of any class with at most half of it
// inside the image.
func drawDistractor(rng *rand.Rand, colours *palette, background colour) object {
	base := drawColourNear(rng, background, uniform(rng, 0, colours.distractor))
	d := object{
		placed:  placed{shape: bar, turn: direction(rng), press: 1},
		surface: drawTexture(rng, base, colours.texture),
	}
	d.radius = uniform(rng, smallestRadius, largestRadius)
	d.centre = vector{uniform(rng, 0, Side), uniform(rng, 0, Side)}
	if chance(rng, 0.5) {
		d.shape = shapeClasses[rng.IntN(len(shapeClasses))]
		d.centre = borderPoint(rng)
	}
	return d
}

// borderPoint draws a point on the border of the image or a little outside.
func borderPoint(rng *rand.Rand) vector {
	across, beyond := uniform(rng, 0, Side), uniform(rng, 0, 4)
	switch rng.IntN(4) {
	case 0:
		return vector{across, -beyond}
	case 1:
		return vector{across, Side + beyond}
	case 2:
		return vector{-beyond, across}
	default:
		return vector{Side + beyond, across}
	}
}

// drawOccluder draws an object in front of the subject: a thin bar, or a blob that hides a piece of
// its rim.
func drawOccluder(rng *rand.Rand, colours *palette, subject *placed) object {
	towards := direction(rng)
	o := object{
		placed:  placed{turn: direction(rng), press: uniform(rng, 1, strongestPress)},
		surface: drawTexture(rng, colours.drawBackground(rng), colours.texture),
	}
	if chance(rng, 0.5) {
		o.shape, o.radius = bar, uniform(rng, 5, 10)
		o.centre = subject.centre.plus(towards.times(uniform(rng, 0, subject.radius)))
		return o
	}
	o.shape, o.radius = shapeClasses[0], uniform(rng, 0.3, 0.5)*subject.radius
	o.centre = subject.centre.plus(towards.times(subject.radius))
	return o
}

// The difficulty of Shapes10. These numbers are tuned so that a narrow All-CNN-C (24 and 48
// channels) trained on 4,000 images for a few thousand steps of 16 classifies about nine in ten
// test images correctly, and so that noise, blur and a loss of contrast raise its error. Lengths
// are in pixels, colours in 0..1. Changing one of them changes every image of both editions, and
// with it the hashes in the tests.
const (
	smallestRadius = 7.0 // of the subject, which is a little larger than a disc of this radius
	largestRadius  = 11.0
	strongestPress = 1.15 // factor of the subject along one axis, and its inverse along the other
	steepestTurn   = 0.4  // of the subject's axis from upright, as a slope
	roundestCorner = 0.1  // of the subject, in units of its radius

	shortestWave    = 3.0 // wavelength of textures
	longestWave     = 9.0
	mostDistractors = 2 // objects behind the subject at clutter 1

	darkestShadow  = 0.4  // share of the light that a shadow removes
	steepestLight  = 0.3  // change of the light from the centre of the image to its edge
	strongestBevel = 0.3  // change of the light on the slanted rim of the subject
	strongestBlur  = 0.2  // share of a 3x3 binomial filter
	strongestGrain = 0.01 // standard deviation of the noise of each channel
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
