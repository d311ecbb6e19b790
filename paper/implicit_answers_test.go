package paper

import (
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestLikeliest(t *testing.T) {
	log := func(p float64) float32 { return float32(math.Log(p)) }
	samples := []float32{log(0.7), log(0.2), log(0.1), log(0.1), log(0.8), log(0.1)} // means 0.4, 0.5, 0.1
	class, probability := likeliest(samples, 3)
	if class != 1 {
		t.Errorf("got class %d, want 1", class)
	}
	testkit.Near(t, "probability", probability, 0.5, 1e-6)
}
