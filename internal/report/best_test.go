package report

import (
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// The best are all that a table writes as it writes the best one; what isn't a number is passed
// over.
func TestBestIsWhatReadsAsTheBest(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		name   string
		values []float64
		want   []bool
	}{
		{"NLL", []float64{0.4004, 0.3996, 0.41}, []bool{true, true, false}},
		{"NLL", []float64{0.4006, 0.3996, 0.41}, []bool{false, true, false}},
		{"Top2", []float64{0.4004, 0.3996, 0.41}, []bool{false, false, true}},
		{"Top2", []float64{0.8004, 0.7996, 0.8}, []bool{true, true, true}},
		{"NLL", []float64{none, 2, none, 1}, []bool{false, false, false, true}},
		{"Top3", []float64{2, none}, []bool{true, false}},
		{"NLL", []float64{none, none}, []bool{false, false}},
		{"NLL", []float64{0.4}, []bool{false}},
		{"Coverage", []float64{0.9, 0.8}, []bool{false, false}},
	} {
		metric := testkit.Must(score.MetricByName(c.name))(t)
		if got := bestOf(metric, c.values); !slices.Equal(got, c.want) {
			t.Errorf("of the %s %v, the best are %v, want %v", c.name, c.values, got, c.want)
		}
	}
}
