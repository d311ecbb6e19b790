package random

import (
	"slices"
	"testing"
)

// The first words and permutations of NumPy 2.4's RandomState(1507).
func TestAgreesWithNumPy(t *testing.T) {
	g := NewMersenne(1507)
	for i, want := range []uint32{386097337, 1579846395, 3706970949, 893373958, 3488353626} {
		if got := g.Uint32(); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	g = NewMersenne(1507)
	for _, c := range []struct {
		count int
		want  []int // the beginning
	}{
		{10, []int{8, 7, 1, 0, 3, 4, 2, 6, 5, 9}},
		{7, []int{2, 4, 6, 1, 0, 3, 5}},
		{1000, []int{192, 383, 649, 410, 358, 641}},
		{1, []int{0}},
		{5, []int{4, 1, 3, 0, 2}},
	} {
		if got := g.Permutation(c.count); !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("permutation of %d begins with %v, want %v", c.count, got[:len(c.want)], c.want)
		}
	}
}
