package corrupt

import (
	"math"
	"slices"
	"testing"
)

func TestZoomByOneChangesNothing(t *testing.T) {
	size := Size{5, 7}
	zoom := newClippedZoom(1, size, 3)
	values, out := make([]float64, size.Values()), make([]float64, size.Values())
	for i := range values {
		values[i] = float64(i * i % 17)
	}
	zoom.zoom(out, values)
	if !zoom.identity() || !slices.Equal(out, values) {
		t.Errorf("identity is %t, got %v, want %v", zoom.identity(), out, values)
	}
}

func TestZoomEnlargesTheMiddle(t *testing.T) {
	size := Size{9, 9}
	ramp := make([]float64, 81)
	for i := range ramp {
		ramp[i] = float64(i % 9)
	}
	out := make([]float64, 81)
	newClippedZoom(2, size, 1).zoom(out, ramp)
	// Columns 2 to 6 become 10, corner to corner; the first 9 of these are kept.
	for x := range 9 {
		if want := 2 + 4*float64(x)/9; math.Abs(out[4*9+x]-want) > 1e-14 {
			t.Errorf("column %d: got %g, want %g, tolerance 1e-14", x, out[4*9+x], want)
		}
	}
}

func TestZoomRoundsHalvesToEven(t *testing.T) {
	axis := newZoomAxis(1.25, 32)
	if axis.crop != 26 || axis.length != 32 {
		t.Errorf("got %d rows enlarged to %d, want 26 to 32", axis.crop, axis.length)
	}
}

func TestZoomFactorCounts(t *testing.T) {
	tests := []struct {
		table Table
		want  [5]int
	}{{CIFAR, [5]int{7, 12, 16, 21, 26}}, {Tiny, [5]int{7, 12, 16, 21, 26}}, {ImageNet, [5]int{12, 16, 11, 13, 11}}}
	for _, test := range tests {
		for i, want := range test.want {
			p := zoomBlurFactors.at(setup{table: test.table, severity: i + 1})
			if got := len(zoomFactors(p.stop, p.step)); got != want {
				t.Errorf("table %d severity %d: got %d factors, want %d", test.table, i+1, got, want)
			}
		}
	}
}
