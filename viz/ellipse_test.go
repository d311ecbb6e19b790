package viz

import (
	"math"
	"testing"
)

// sixPoints are those of the oracle implicit.ellipse99 (METHOD.md section 7).
var sixPoints = [][2]float64{{0.3, 1.0}, {-1.2, 0.4}, {0.8, -0.7}, {0.1, 0.2}, {-0.4, -1.1}, {0.9, 0.6}}

// near reports values that are further apart than the tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if difference := math.Abs(got - want); !(difference <= tolerance) {
		t.Errorf("%s is %.17g, want %.17g: off by %.3g, tolerance %.3g", what, got, want, difference, tolerance)
	}
}

func TestEllipseOfTheOracle(t *testing.T) {
	const tolerance = 1e-12
	e, err := NewEllipse(sixPoints)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean x", e.Mean[0], 0.08333333333333336, tolerance)
	near(t, "mean y", e.Mean[1], 0.06666666666666664, tolerance)
	near(t, "variance of x", e.Covariance[0][0], 0.6216666666666666, tolerance)
	near(t, "covariance", e.Covariance[0][1], 0.04533333333333335, tolerance)
	near(t, "variance of y", e.Covariance[1][1], 0.6466666666666667, tolerance)
	near(t, "limit", EllipseLimit, 9.210340371976182, tolerance)
	long, short := e.SemiAxes()
	near(t, "long semi-axis", long, 2.504797024802618, tolerance)
	near(t, "short semi-axis", short, 2.325462012087722, tolerance)
	for _, query := range []struct {
		point    [2]float64
		distance float64
		inside   bool
	}{
		{[2]float64{1.5, 1.5}, 5.977907569832682, true},
		{[2]float64{5, 0}, 39.16618328016082, false},
		{[2]float64{0, 3.2}, 15.330561361749798, false},
	} {
		near(t, "squared distance", e.Distance(query.point), query.distance, 1e-10)
		if got := e.Inside(query.point); got != query.inside {
			t.Errorf("point %v inside: %t, want %t", query.point, got, query.inside)
		}
	}
}

// The outline lies at the limit, and its furthest point is a semi-axis away.
func TestOutlineLiesAtTheLimit(t *testing.T) {
	e, err := NewEllipse(sixPoints)
	if err != nil {
		t.Fatal(err)
	}
	furthest := 0.0
	for _, point := range e.outline(721) {
		near(t, "squared distance of the outline", e.Distance(point), EllipseLimit, 1e-10)
		furthest = max(furthest, math.Hypot(point[0]-e.Mean[0], point[1]-e.Mean[1]))
	}
	long, _ := e.SemiAxes()
	near(t, "furthest point of the outline", furthest, long, 1e-4)
}

// Nothing is left of the short axis in the difference of two variances of 1e20 and 1e-6.
func TestThinEllipseKeepsItsShortAxis(t *testing.T) {
	e, err := NewEllipse([][2]float64{{1e10, 0}, {-1e10, 0}, {0, 1e-3}, {0, -1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	_, short := e.SemiAxes()
	near(t, "short semi-axis", short, math.Sqrt(EllipseLimit*2e-6/3), 1e-15)
}

func TestPercentileOfPoints(t *testing.T) {
	e := Ellipse{Covariance: [2][2]float64{{1, 0}, {0, 1}}}
	var points [][2]float64
	for i := 1; i <= 200; i++ {
		points = append(points, [2]float64{math.Sqrt(float64(i)), 0})
	}
	near(t, "99th percentile", e.Percentile(points), 198, 1e-9)
}

func TestPointsWithoutEllipse(t *testing.T) {
	for name, points := range map[string][][2]float64{
		"none": nil, "two": {{0, 0}, {1, 1}}, "on a line": {{0, 0}, {1, 2}, {2, 4}, {3, 6}}, "infinite": {{0, 0}, {1, 2}, {math.Inf(1), 0}},
	} {
		_, err := NewEllipse(points)
		checkError(t, name, nil, err, "have no ellipse")
	}
}
