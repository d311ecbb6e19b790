package corrupt

import (
	"slices"
	"testing"
)

func TestBoxResizeAveragesWholePixels(t *testing.T) {
	image := []uint8{0, 0, 0, 10, 20, 30, 40, 40, 40, 50, 60, 71}
	out := make([]uint8, 6)
	newBoxResize(Size{1, 4}, Size{1, 2}).resize(image, out)
	if want := []uint8{5, 10, 15, 45, 50, 56}; !slices.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}

func TestBoxSpansHaveSumOne(t *testing.T) {
	for from := 1; from < 70; from++ {
		for to := 1; to < 70; to++ {
			for i, span := range boxSpans(from, to) {
				sum := 0
				for _, weight := range span.weights {
					sum += weight
				}
				if off := sum - 1<<boxBits; off < -len(span.weights) || off > len(span.weights) {
					t.Fatalf("%d to %d: weights of position %d add up to %d, want %d", from, to, i, sum, 1<<boxBits)
				}
			}
		}
	}
}
