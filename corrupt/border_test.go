package corrupt

import (
	"slices"
	"testing"
)

func TestBorders(t *testing.T) {
	tests := []struct {
		name   string
		border border
		length int
		want   []int // of positions -5 to length+4
	}{
		{"nearest", nearestBorder, 3, []int{0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2}},
		{"symmetric", symmetricBorder, 3, []int{1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1}},
		{"mirror", mirrorBorder, 3, []int{1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
		{"mirror of one pixel", mirrorBorder, 1, make([]int, 11)},
		{"symmetric of one pixel", symmetricBorder, 1, make([]int, 11)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			for position := -5; position < test.length+5; position++ {
				got = append(got, test.border(position, test.length))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestPadRow(t *testing.T) {
	padded := make([]float64, 12)
	padRow(padded, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 1, 2, mirrorBorder)
	if want := []float64{3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6}; !slices.Equal(padded, want) {
		t.Errorf("got %v, want %v", padded, want)
	}
}
