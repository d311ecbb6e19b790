package explorer

import (
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// The levels of one corruption begin with the clean cell; a missing cell is no number.
func TestLevelsOf(t *testing.T) {
	cells := score.Cells{
		{Corruption: score.Clean, NLL: 0.1, Error: 0.01, ECE: 0.3},
		{Corruption: "fog", Severity: 1, NLL: 0.2, Error: 0.02, ECE: 0.4},
		{Corruption: "snow", Severity: 1, NLL: 9, Error: 0.9, ECE: 0.5},
		{Corruption: "fog", Severity: 5, NLL: 0.6, Error: 0.06, ECE: 0.7},
	}
	missing := math.NaN()
	for _, c := range []struct {
		metric string
		want   []float64
	}{
		{"NLL", []float64{0.1, 0.2, missing, missing, missing, 0.6}},
		{"Error", []float64{0.01, 0.02, missing, missing, missing, 0.06}},
		{"ECE", []float64{0.3, 0.4, missing, missing, missing, 0.7}},
	} {
		metric := testkit.Must(score.MetricByName(c.metric))(t)
		got := levelsOf(cells, metric, "fog")
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %v, want %v", c.metric, got, c.want)
		}
	}
}
