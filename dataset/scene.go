package dataset

import "math/rand/v2"

// side is the height and width of the images of Shapes10.
const side = 32

// scene is one image before it's drawn.
type scene struct {
	background texture
	behind     []thing
	subject    thing
	front      []thing
	light      light
	finish     finish
}

// drawScene draws a scene whose subject has the given shape. Colour, place, size and surface say nothing about the shape.
// Its clutter, from 0 to 1, makes it harder in every way, so that a set holds plain images as well as confusing ones.
func drawScene(rng *rand.Rand, subject shape) *scene {
	clutter := rng.Float64()
	base := drawColour(rng, darkest, brightest)
	s := &scene{background: drawTexture(rng, base, textureContrast*clutter)}
	s.subject = drawSubject(rng, subject, base, clutter)
	for range rng.IntN(1 + int(float64(clutter*(mostDistractors+1)))) {
		s.behind = append(s.behind, drawDistractor(rng, base))
	}
	if chance(rng, clutter) {
		s.front = append(s.front, drawOccluder(rng, &s.subject.placed))
	}
	s.light = drawLight(rng)
	s.finish = drawFinish(rng)
	return s
}

// drawSubject draws the shape that gives the image its class, whole and brighter than the background.
func drawSubject(rng *rand.Rand, subject shape, background colour, clutter float64) thing {
	radius := uniform(rng, smallestRadius, largestRadius)
	margin := radius + 1
	base := drawColourAbove(rng, background, mix(strongestContrast, weakestContrast, clutter))
	return thing{
		placed: placed{
			shape:    subject,
			centre:   vector{uniform(rng, margin, side-margin), uniform(rng, margin, side-margin)},
			radius:   radius,
			turn:     tilt(rng),
			press:    uniform(rng, 1/strongestPress, strongestPress),
			mirrored: chance(rng, 0.5),
			rounding: uniform(rng, 0, roundestCorner),
		},
		surface: drawTexture(rng, base, textureContrast*clutter),
	}
}

// drawDistractor draws a bar across the image, or a shape of any class of which at most half is inside the image.
func drawDistractor(rng *rand.Rand, background colour) thing {
	base := drawColourNear(rng, background, uniform(rng, 0, distractorContrast))
	d := thing{
		placed:  placed{shape: bar, turn: direction(rng), press: 1},
		surface: drawTexture(rng, base, textureContrast),
	}
	d.radius = uniform(rng, smallestRadius, largestRadius)
	d.centre = vector{uniform(rng, 0, side), uniform(rng, 0, side)}
	if chance(rng, 0.5) {
		d.shape = shapeClasses[rng.IntN(len(shapeClasses))]
		d.centre = borderPoint(rng)
	}
	return d
}

// borderPoint draws a point on the border of the image or a little outside.
func borderPoint(rng *rand.Rand) vector {
	across, beyond := uniform(rng, 0, side), uniform(rng, 0, 4)
	switch rng.IntN(4) {
	case 0:
		return vector{across, -beyond}
	case 1:
		return vector{across, side + beyond}
	case 2:
		return vector{-beyond, across}
	default:
		return vector{side + beyond, across}
	}
}

// drawOccluder draws something in front of the subject: a thin bar over it, or a blob that hides a piece of its rim.
func drawOccluder(rng *rand.Rand, subject *placed) thing {
	towards := direction(rng)
	o := thing{
		placed:  placed{turn: direction(rng), press: uniform(rng, 1, strongestPress)},
		surface: drawTexture(rng, drawColour(rng, darkest, brightest), textureContrast),
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
