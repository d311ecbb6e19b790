package viz_test

import (
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

// The best are all that read as the best one does; what isn't a number is passed over.
func TestBestIsWhatReadsAsTheBest(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		means    []float64
		higher   bool
		decimals int
		want     []bool
	}{
		{[]float64{0.4004, 0.3996, 0.41}, false, 3, []bool{true, true, false}},
		{[]float64{0.4004, 0.3996, 0.41}, false, 4, []bool{false, true, false}},
		{[]float64{0.4004, 0.3996, 0.41}, true, 3, []bool{false, false, true}},
		{[]float64{80.04, 79.96, 80}, true, 1, []bool{true, true, true}},
		{[]float64{none, 2, none, 1}, false, 3, []bool{false, false, false, true}},
		{[]float64{2, none}, true, 3, []bool{true, false}},
		{[]float64{none}, true, 3, []bool{false}},
		{nil, true, 3, nil},
	} {
		if got := viz.Best(c.means, c.higher, c.decimals); !slices.Equal(got, c.want) {
			t.Errorf("of %v with %d decimals, higher %v, the best are %v, want %v", c.means, c.decimals, c.higher, got, c.want)
		}
	}
}
