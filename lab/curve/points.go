package curve

import "math"

// Points returns ten measured values of a curve, in two groups with a gap between them.
func Points() (points []Point) {
	for i := range 5 {
		x := 1 + 0.3*float64(i)
		points = append(points, Point{X: -x, Y: -math.Sin(x) + wiggle(i)},
			Point{X: x, Y: math.Sin(x) + wiggle(i+5)})
	}
	return points
}

// wiggle is a fixed error of a measurement, with a standard deviation of 0.1.
func wiggle(i int) float64 { return 0.1 * math.Sqrt2 * math.Sin(37*float64(i)) }

// Places returns 81 places from -4 to 4 to draw a curve at.
func Places() (places []float64) {
	for i := range 81 {
		places = append(places, float64(i-40)/10)
	}
	return places
}
