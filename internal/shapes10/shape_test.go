package shapes10

import (
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/random"
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

// A distance changes at most as much as the point moves, it's positive beyond the reach, and no
// class can be told by size.
func TestShapesProperties(t *testing.T) {
	rng := random.New(1, "shapes test")
	const points = 20_000
	for _, class := range append([]shape{bar}, shapeClasses...) {
		inside := 0
		for range points {
			p := vector{uniform(rng, -1.5, 1.5), uniform(rng, -1.5, 1.5)}
			q := p.plus(vector{uniform(rng, -0.1, 0.1), uniform(rng, -0.1, 0.1)})
			d, moved := class.distance(p), p.minus(q).length()
			if change := math.Abs(class.distance(q) - d); change > moved+1e-12 {
				t.Fatalf("%s: from %v to %v the distance changes by %g, more than the %g between them", class.name, p, q, change, moved)
			}
			if d <= 0 {
				inside++
			}
			if p.length() > class.reach && d <= 0 {
				t.Fatalf("%s: %v is inside, beyond the reach of %g", class.name, p, class.reach)
			}
		}
		if area := 9 * float64(inside) / points; class.name != "bar" && (area < 1 || area > 2.6) {
			t.Errorf("%s: area %.2f, want 1 to 2.6", class.name, area)
		}
	}
}

// Every class looks different from every other: over the plane their insides differ by a good part
// of their area.
func TestShapesDiffer(t *testing.T) {
	for i, a := range shapeClasses {
		for _, b := range shapeClasses[:i] {
			either, both := 0.0, 0.0
			for k := range 60 * 60 {
				p := vector{float64(k%60)/25 - 1.2, float64(k/60)/25 - 1.2}
				inA, inB := a.distance(p) < 0, b.distance(p) < 0
				if inA || inB {
					either++
				}
				if inA && inB {
					both++
				}
			}
			if share := both / either; share > 0.93 {
				t.Errorf("%s and %s share %.0f %% of their area, want at most 93 %%", a.name, b.name, 100*share)
			}
		}
	}
}
