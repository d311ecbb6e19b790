package dataset

import "math/rand/v2"

// canvas is an image of Shapes10, [32, 32, 3], with values about in 0..1.
type canvas [side * side * channels]float64

// coverage returns how much of a pixel a shape covers whose outline is at a signed distance, over an edge of given width.
func coverage(distance, width float64) float64 { return smooth(0.5 - distance/width) }

// outline is the width of the edge of shapes, in pixels: it spares them jagged steps.
const outline = 1.5

// at returns the colour of the scene at a point.
func (s *scene) at(p vector) colour {
	c := s.background.at(p)
	for i := range s.behind {
		c = s.behind[i].over(c, p)
	}
	c = c.scaled(s.light.shade(&s.subject.placed, p))
	if distance := s.subject.distance(p); distance < outline {
		surface := s.subject.surface.at(p).scaled(s.light.rim(&s.subject.placed, p, distance))
		c = c.blend(surface, coverage(distance, outline))
	}
	for i := range s.front {
		c = s.front[i].over(c, p)
	}
	return c.scaled(s.light.brightness(p))
}

// over returns the colour at a point where the thing lies over another colour.
func (t *thing) over(below colour, p vector) colour {
	cover := coverage(t.distance(p), outline)
	if cover == 0 {
		return below
	}
	return below.blend(t.surface.at(p), cover)
}

// render draws the scene into the pixels of one image, [32, 32, 3].
func (s *scene) render(rng *rand.Rand, pixels []uint8) {
	var sharp canvas
	for i := range side * side {
		c := s.at(vector{float64(i%side) + 0.5, float64(i/side) + 0.5})
		copy(sharp[channels*i:], c[:])
	}
	s.finish.develop(rng, &sharp, pixels)
}
