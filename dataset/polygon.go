package dataset

import "math"

// polygon is a closed outline: its edges in order, with what the distance to them needs.
type polygon []edge

// edge is one side of a polygon.
type edge struct {
	from, span vector  // first corner, and the way from it to the next
	share      float64 // 1 / squared length
	slope      float64 // span.x / span.y; not used where span.y is 0
}

// newPolygon returns the polygon with the given corners in order.
func newPolygon(corners ...vector) polygon {
	edges := make(polygon, len(corners))
	for i, from := range corners {
		span := corners[(i+1)%len(corners)].minus(from)
		edges[i] = edge{from: from, span: span, share: 1 / span.dot(span)}
		if span.y != 0 {
			edges[i].slope = span.x / span.y
		}
	}
	return edges
}

// distance returns the signed distance from p to the outline, negative inside.
func (c polygon) distance(p vector) float64 {
	nearest, inside := math.Inf(1), false
	for i := range c {
		offset := p.minus(c[i].from)
		nearest = min(nearest, c[i].squaredDistance(offset))
		if c[i].crosses(offset) {
			inside = !inside
		}
	}
	if inside {
		return -math.Sqrt(nearest)
	}
	return math.Sqrt(nearest)
}

// squaredDistance returns the squared distance to the edge from a point, given by its offset from the first corner.
func (e *edge) squaredDistance(offset vector) float64 {
	along := clamp(float64(offset.dot(e.span)*e.share), 1)
	rest := offset.minus(e.span.times(along))
	return rest.dot(rest)
}

// crosses reports whether the ray to the right from a point, given by its offset, meets the edge.
func (e *edge) crosses(offset vector) bool {
	if (offset.y < 0) == (offset.y < e.span.y) {
		return false
	}
	return offset.x < float64(offset.y*e.slope)
}
