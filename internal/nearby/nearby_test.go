package nearby

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/testkit"
)

// gaussianDraws are normal with a standard deviation for each coordinate.
func gaussianDraws(count int, std ...float64) (draws [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		draw := make([]float64, len(std))
		for j := range draw {
			draw[j] = std[j] * rng.NormFloat64()
		}
		draws = append(draws, draw)
	}
	return draws
}

// Of normal draws the region is about the 99 % ellipse, whatever the units are: a point at 2
// standard deviations is inside, one at 4.5 isn't.
func TestNeighboursOfNormalDraws(t *testing.T) {
	r := testkit.Must(New(gaussianDraws(2000, 1000, 0.01)))(t)
	for _, test := range []struct {
		x, y   float64 // in standard deviations
		inside bool
	}{{0, 0, true}, {2, 0, true}, {0, -2, true}, {1.5, 1.5, true}, {4.5, 0, false}, {0, 4.5, false},
		{-3.3, 3.3, false}} {
		if got := r.Distance([]float64{1000 * test.x, 0.01 * test.y}) <= 1; got != test.inside {
			t.Errorf("(%g, %g) inside: %t, want %t", test.x, test.y, got, test.inside)
		}
	}
}

// The distance is that of a search over all draws, and 99 % of the draws are inside.
func TestNeighboursAgreeWithASearchOfAll(t *testing.T) {
	draws := gaussianDraws(500, 1, 2, 3)
	r := testkit.Must(New(draws))(t)
	inside := 0
	for _, draw := range draws {
		point := r.scaled(draw)
		var squares []float64
		for _, other := range draws {
			distance := floats.Distance(r.scaled(other), point, 2)
			squares = append(squares, distance*distance)
		}
		slices.Sort(squares)
		testkit.Near(t, "sixth nearest", r.reach(point, neighbours+1),
			math.Sqrt(squares[neighbours]), 1e-12)
		if r.reach(point, neighbours+1) <= r.radius {
			inside++
		}
	}
	testkit.Near(t, "draws inside", float64(inside), 495, 0)
}

func TestDrawsWithoutNeighbours(t *testing.T) {
	same := make([][]float64, 8)
	for i := range same {
		same[i] = []float64{1, 2}
	}
	_, err := New(same[:5])
	testkit.Error(t, "few draws", err, "5 draws have no 5 neighbours")
	_, err = New(same)
	testkit.Error(t, "equal draws", err, "has the standard deviation 0")
}
