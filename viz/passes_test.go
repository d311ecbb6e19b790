package viz

import (
	"slices"
	"testing"
)

// A point is on the front unless another one is at least as good in both passes and mean, and
// better in one of them. Equal points are both on it.
func TestParetoFront(t *testing.T) {
	points := []PassesPoint{
		{Name: "cheapest", Passes: 1, Mean: 0.5}, {Name: "as cheap, worse", Passes: 1, Mean: 0.6},
		{Name: "better", Passes: 4, Mean: 0.4}, {Name: "as good, dearer", Passes: 8, Mean: 0.4},
		{Name: "best", Passes: 16, Mean: 0.3}, {Name: "equal to the best", Passes: 16, Mean: 0.3},
		{Name: "dear and bad", Passes: 32, Mean: 0.9},
	}
	want := []bool{true, false, true, false, true, true, false}
	if got := onFront(metricOf(t, "NLL"), points); !slices.Equal(got, want) {
		t.Errorf("on the front are %v, want %v", got, want)
	}
}

// Points with equal passes stand side by side, evenly around their place.
func TestEqualPassesStandApart(t *testing.T) {
	places := apart([]PassesPoint{{Passes: 4}, {Passes: 1}, {Passes: 4}, {Passes: 4}})
	want := []float64{2 - besideStep, 0, 2, 2 + besideStep}
	if !slices.Equal(places, want) {
		t.Errorf("places are %v, want %v", places, want)
	}
}

func TestPassesAreChecked(t *testing.T) {
	for want, p := range map[string]PassesPoint{
		"predicts with 0 passes": {Name: "MAP", Mean: 0.5},
		"fractions, not percent": {Name: "MAP", Mean: 50, Passes: 1},
		"has no name":            {Mean: 0.5, Passes: 1},
		"the values of 1":        {Name: "MAP", Mean: 0.5, Passes: 1, Seeds: 2, Each: []float64{0.5}},
	} {
		figure, err := AgainstPasses("Error", []PassesPoint{p})
		checkError(t, want, figure, err, want)
	}
}
