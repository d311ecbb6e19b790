package shapes10

import (
	"math"
	"math/rand/v2"
)

// shape is an outline about as large as the unit disc.
type shape struct {
	name     string
	reach    float64                // radius of a disc around the origin that contains it
	distance func(p vector) float64 // signed, from a point to the outline: negative inside
}

// shapeClasses are the ten classes, in the order of their labels. Several are easily confused when
// they are faint or half hidden: disc, ring and crescent; heart, triangle and arrow; square,
// hexagon and disc; star and cross.
var shapeClasses = []shape{
	{"disc", 0.9, disc},
	{"ring", 1, ring},
	{"crescent", 1, crescent},
	{"heart", 1.1, heart},
	{"triangle", 1.1, triangle.distance},
	{"square", 1.1, square.distance},
	{"hexagon", 1, hexagon.distance},
	{"star", 1.2, star.distance},
	{"cross", 1.1, cross.distance},
	{"arrow", 1.1, arrow.distance},
}

// bar is a long strip. It is no class; it only distracts or occludes.
var bar = shape{"bar", 4.1, strip}

var (
	triangle = newPolygon(vector{0, -1.05}, vector{0.91, 0.52}, vector{-0.91, 0.52})
	square   = newPolygon(vector{-0.76, -0.76}, vector{0.76, -0.76}, vector{0.76, 0.76},
		vector{-0.76, 0.76})
	hexagon = newPolygon(vector{0.93, 0}, vector{0.465, 0.805}, vector{-0.465, 0.805},
		vector{-0.93, 0}, vector{-0.465, -0.805}, vector{0.465, -0.805})
	star = newPolygon(vector{0, -1.1}, vector{0.282, -0.388}, vector{1.046, -0.340},
		vector{0.457, 0.148}, vector{0.647, 0.890},
		vector{0, 0.48}, vector{-0.647, 0.890}, vector{-0.457, 0.148}, vector{-1.046, -0.340},
		vector{-0.282, -0.388})
	cross = newPolygon(vector{-0.32, -1}, vector{0.32, -1}, vector{0.32, -0.32}, vector{1, -0.32},
		vector{1, 0.32}, vector{0.32, 0.32}, vector{0.32, 1}, vector{-0.32, 1},
		vector{-0.32, 0.32}, vector{-1, 0.32}, vector{-1, -0.32}, vector{-0.32, -0.32})
	arrow = newPolygon(vector{0, -1.05}, vector{0.88, 0}, vector{0.36, 0}, vector{0.36, 1},
		vector{-0.36, 1}, vector{-0.36, 0}, vector{-0.88, 0})
	heartBody = newPolygon(vector{0, 0.95}, vector{-0.82, 0.13}, vector{0, -0.69},
		vector{0.82, 0.13})
)

func disc(p vector) float64 { return p.length() - 0.86 }

// ring is a disc with a concentric hole.
func ring(p vector) float64 { return math.Abs(p.length()-0.72) - 0.25 }

// crescent is a disc with a smaller one cut from its side.
func crescent(p vector) float64 {
	return max(p.length()-1, 0.8-p.minus(vector{0.45, 0}).length())
}

// heart is a square on its corner with half a disc on each upper side.
func heart(p vector) float64 {
	lobe := vector{math.Abs(p.x), p.y}.minus(vector{0.41, -0.28}).length() - 0.58
	return min(lobe, heartBody.distance(p))
}

// strip is a long thin rectangle. Beyond its corners it returns the distance along one axis, which
// is slightly too short.
func strip(p vector) float64 { return max(math.Abs(p.x)-4, math.Abs(p.y)-0.16) }

// polygon is a closed outline: its edges in order, each with precomputed factors for distances.
type polygon []edge

type edge struct {
	from, span vector  // first corner, and the vector from it to the next
	share      float64 // 1 / squared length
	slope      float64 // span.x / span.y; not used if span.y is 0
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

// squaredDistance returns the squared distance from the edge to a point, which is given by its
// offset from the first corner.
func (e *edge) squaredDistance(offset vector) float64 {
	along := clamp(float64(offset.dot(e.span)*e.share), 1)
	rest := offset.minus(e.span.times(along))
	return rest.dot(rest)
}

// crosses reports whether a ray to the right from a point, given by its offset, crosses the edge.
func (e *edge) crosses(offset vector) bool {
	if (offset.y < 0) == (offset.y < e.span.y) {
		return false
	}
	return offset.x < float64(offset.y*e.slope)
}

// Drawing must give the same bytes on every processor. It therefore uses only operations whose
// rounding IEEE 754 defines (the four arithmetic operations, square root, floor and comparisons),
// and wraps every product that is added to something in an explicit conversion, float64(a*b), which
// prevents the compiler from fusing it into a multiply-add.

// vector is a point or a direction in the plane, in pixels or in units of a shape.
type vector struct{ x, y float64 }

// plus returns v + w.
func (v vector) plus(w vector) vector { return vector{v.x + w.x, v.y + w.y} }

// minus returns v - w.
func (v vector) minus(w vector) vector { return vector{v.x - w.x, v.y - w.y} }

// times returns v scaled by a factor.
func (v vector) times(factor float64) vector {
	return vector{float64(v.x * factor), float64(v.y * factor)}
}

// dot returns the scalar product of v and w.
func (v vector) dot(w vector) float64 { return float64(v.x*w.x) + float64(v.y*w.y) }

// length returns the Euclidean norm.
func (v vector) length() float64 { return math.Sqrt(v.dot(v)) }

// turned returns v rotated by the angle of a unit vector.
func (v vector) turned(turn vector) vector {
	return vector{float64(v.x*turn.x) - float64(v.y*turn.y), float64(v.x*turn.y) +
		float64(v.y*turn.x)}
}

// turnedBack inverts turned.
func (v vector) turnedBack(turn vector) vector { return v.turned(vector{turn.x, -turn.y}) }

// direction draws a unit vector, uniform over all angles: a point of the disc scaled to length one.
func direction(rng *rand.Rand) vector {
	for {
		v := vector{uniform(rng, -1, 1), uniform(rng, -1, 1)}
		if length := v.length(); length > 0.1 && length <= 1 {
			return vector{v.x / length, v.y / length}
		}
	}
}

// tilt draws a unit vector close to the x axis, at most steepestTurn to either side.
func tilt(rng *rand.Rand) vector {
	v := vector{1, uniform(rng, -steepestTurn, steepestTurn)}
	return v.times(1 / v.length())
}

// uniform draws a number uniformly between low and high.
func uniform(rng *rand.Rand, low, high float64) float64 { return mix(low, high, rng.Float64()) }

// chance draws true with a probability.
func chance(rng *rand.Rand, probability float64) bool { return rng.Float64() < probability }

// mix interpolates linearly from a at t = 0 to b at t = 1.
func mix(a, b, t float64) float64 { return a + float64((b-a)*t) }

// clamp returns x, at least 0 and at most high.
func clamp(x, high float64) float64 { return max(0, min(high, x)) }

// smooth rises from 0 at t = 0 to 1 at t = 1 with zero slope at both ends.
func smooth(t float64) float64 {
	t = clamp(t, 1)
	return float64(t * t * (3 - float64(2*t)))
}

// fraction returns x minus its floor.
func fraction(x float64) float64 { return x - math.Floor(x) }
