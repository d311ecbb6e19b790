package viz

import (
	"slices"
	"testing"
)

// Every histogram has markers, on bins that aren't empty and that no other histogram's marker is
// on.
func TestStripMarks(t *testing.T) {
	wide := []float64{0, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2}
	narrow := []float64{0, 0, 0, 0, 0, 0, 0, 1}
	for _, c := range []struct {
		name string
		bins [][]float64
		want [][]int
	}{
		{"one", [][]float64{wide}, [][]int{{7, 4, 1}}},
		{"two", [][]float64{wide, wide}, [][]int{{7, 4, 1}, {6, 3}}},
		{"four", [][]float64{wide, wide, wide, wide}, [][]int{{7, 3}, {6, 2}, {5, 1}, {4}}},
		{"all in the last bin", [][]float64{wide, narrow}, [][]int{{7, 4, 1}, {7}}},
	} {
		s := strip{bins: c.bins}
		for i, want := range c.want {
			if got := s.marked(i); !slices.Equal(got, want) {
				t.Errorf("%s, histogram %d: markers on %v, want %v", c.name, i, got, want)
			}
		}
	}
}
