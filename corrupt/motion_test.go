package corrupt

import (
	"slices"
	"testing"
)

func TestMotionDirections(t *testing.T) {
	tests := []struct {
		angle float64
		want  []shift
	}{
		{0, []shift{{0, 0}, {1, 0}, {2, 0}}},
		{90, []shift{{0, 0}, {0, 1}, {0, 2}}},
		{45, []shift{{0, 0}, {1, 1}, {1, 1}}},
		{-45, []shift{{0, 0}, {1, -1}, {1, -1}}},
	}
	for _, test := range tests {
		if got := newMotion(1, 1, Size{4, 4}, 1).shifts(test.angle); !slices.Equal(got, test.want) {
			t.Errorf("%g degrees: got %v, want %v", test.angle, got, test.want)
		}
	}
}

func TestMotionTakesItsPixelsFromAhead(t *testing.T) {
	motion := newMotion(1, 1, Size{1, 4}, 1)
	out := make([]uint8, 4)
	motion.blur(out, []uint8{0, 0, 0, 255}, 0)
	w := motion.weights
	for x, weight := range []float64{0, w[2], w[1] + w[2], 1} {
		if want := uint8(255 * weight); out[x] != want {
			t.Errorf("column %d: got %d, want %d", x, out[x], want)
		}
	}
}
