package report

import "testing"

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"M32 seed 1": "m32-seed1", "M32 fixed σ seed 2": "m32-fixed-sigma-seed2",
		"out, K = 4, γ/K = 12 seed 3": "out-k-4-gamma-k-12-seed3",
	} {
		if got := FileName(name); got != want {
			t.Errorf("the files of %q are called %q, want %q", name, got, want)
		}
	}
}
