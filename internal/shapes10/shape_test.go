package shapes10

import (
	"math"
	"testing"
)

func TestPolygonDistance(t *testing.T) {
	right := newPolygon(vector{0, 0}, vector{4, 0}, vector{0, 3})
	for _, test := range []struct {
		name      string
		point     vector
		want      float64
		tolerance float64
	}{
		{"corner", vector{0, 0}, 0, 0},
		{"beside an edge", vector{-2, 1}, 2, 1e-15},
		{"beyond a corner", vector{-3, -4}, 5, 1e-15},
		{"over the slanted edge", vector{4, 3}, 12.0 / 5, 1e-15},
		{"incentre", vector{1, 1}, -1, 1e-15},
		{"inside, nearest the left edge", vector{0.25, 1.5}, -0.25, 1e-15},
	} {
		if got := right.distance(test.point); !(math.Abs(got-test.want) <= test.tolerance) {
			t.Errorf("%s: distance of %v is %g, want %g, tolerance %g", test.name, test.point, got, test.want, test.tolerance)
		}
	}
}

func TestShapesAtKnownPoints(t *testing.T) {
	for _, test := range []struct {
		shape   int
		inside  vector
		outside vector
	}{
		{0, vector{0.8, 0}, vector{0.9, 0}},
		{1, vector{0.7, 0}, vector{0.3, 0}},
		{2, vector{-0.7, 0}, vector{0.2, 0}},
		{3, vector{0.5, -0.4}, vector{0, -0.8}},
		{4, vector{0, -0.9}, vector{0.5, -0.6}},
		{5, vector{0.7, 0.7}, vector{0.8, 0}},
		{6, vector{0.9, 0}, vector{0.8, 0.5}},
		{7, vector{0, -1}, vector{0, 0.6}},
		{8, vector{0.9, 0.2}, vector{0.5, 0.5}},
		{9, vector{0.2, 0.9}, vector{0.6, 0.5}},
	} {
		class := shapeClasses[test.shape]
		if d := class.distance(test.inside); d >= 0 {
			t.Errorf("%s: distance at %v is %g, want it inside", class.name, test.inside, d)
		}
		if d := class.distance(test.outside); d <= 0 {
			t.Errorf("%s: distance at %v is %g, want it outside", class.name, test.outside, d)
		}
	}
}
