package kernel

import (
	"slices"
	"testing"
)

// Adding 2.5 to 1e8 gives 1e8 again in float32, and adding 10 gives 1e8 + 8: so the results say in
// which order the terms were added.
func TestSmallProductAddsInTheOrderOfKeptRuns(t *testing.T) {
	row := []float32{1e8, 0, 0, 0, 2.5, 2.5, 2.5, 2.5, 1}
	left := slices.Concat(row, row, row, row)
	right := slices.Repeat([]float32{1, 2}, len(row)) // two columns
	for _, test := range []struct {
		transposed bool
		right      []float32
		want       []float32
	}{
		{false, right, []float32{1e8, 2e8, 1e8, 2e8, 1e8, 2e8, 1e8 + 8, 2e8 + 16}},
		{true, slices.Concat(slices.Repeat([]float32{1}, len(row)), slices.Repeat([]float32{2}, len(row))),
			slices.Repeat([]float32{1e8 + 8, 2e8 + 16}, 4)},
	} {
		got := make([]float32, len(test.want))
		SmallProduct(got, left, test.right, len(row), 2, test.transposed)
		if !slices.Equal(got, test.want) {
			t.Errorf("transposed %t: got %v, want %v", test.transposed, got, test.want)
		}
	}
}
