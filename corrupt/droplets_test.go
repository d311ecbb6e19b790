package corrupt

import (
	"slices"
	"testing"
)

func TestSpatterWithoutADropLeavesTheImage(t *testing.T) {
	size := Size{8, 8}
	c := newSpatter(setup{severity: 1, size: size})
	image, out := photograph(size, 1), make([]uint8, size.Values())
	c.apply(image, &draws{normals: make([]float64, 64)}, out)
	if !slices.Equal(out, image) {
		t.Errorf("got %v, want %v", out, image)
	}
}
