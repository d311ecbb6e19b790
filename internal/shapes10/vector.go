package shapes10

import (
	"math"
	"math/rand/v2"
)

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
	return vector{float64(v.x*turn.x) - float64(v.y*turn.y), float64(v.x*turn.y) + float64(v.y*turn.x)}
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
