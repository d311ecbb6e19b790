package dataset

// placed is a shape on the image.
type placed struct {
	shape    shape
	centre   vector  // in pixels
	radius   float64 // pixels in one unit of the shape
	turn     vector
	press    float64 // pressed by this factor along one of its axes, stretched along the other
	mirrored bool    // left and right exchanged
	rounding float64 // of corners, in units of the shape
}

// farAway is a distance in pixels beyond every soft edge.
const farAway = 3

// distance returns the signed distance from p to the outline in pixels, about, and farAway for any point well outside.
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

// thing is a textured shape.
type thing struct {
	placed
	surface texture
}

// over returns the colour at a point where the thing lies over another colour.
func (t *thing) over(below colour, p vector) colour {
	cover := coverage(t.distance(p), outline)
	if cover == 0 {
		return below
	}
	return below.blend(t.surface.at(p), cover)
}

// coverage returns how much of a pixel a shape covers whose outline is at a signed distance, over an edge of given width.
func coverage(distance, width float64) float64 { return smooth(0.5 - distance/width) }

// outline is the width of the edge of shapes, in pixels: it spares them jagged steps.
const outline = 1.5
