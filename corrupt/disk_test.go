package corrupt

import "testing"

func TestCorrelationDoesNotFlipAndMirrorsTheBorder(t *testing.T) {
	kernel := [][]float64{{0, 0, 0, 0, 0}, {0, 0, 0, 2, 0}, {0, 0, 1, 0, 0}, {0, 4, 0, 0, 0}, {0, 0, 0, 0, 0}}
	size := Size{2, 2}
	values := []float64{1, 0, 0, 10, 0, 0, 100, 0, 0, 1000, 0, 0}
	filter := newCorrelation(kernel, size)
	if filter.radius != 1 {
		t.Errorf("got radius %d, want 1: rings of zeros are cut off", filter.radius)
	}
	out := make([]float64, 12)
	filter.filter(out, values)
	// Up right twice, itself once, down left four times; beyond an edge lies what is inside it.
	for i, want := range []float64{1 + 2*1000 + 4*1000, 10 + 2*100 + 4*100, 100 + 2*10 + 4*10, 1000 + 2*1 + 4*1} {
		if out[3*i] != want || out[3*i+1] != 0 {
			t.Errorf("pixel %d: got %g and %g, want %g and 0", i, out[3*i], out[3*i+1], want)
		}
	}
}
