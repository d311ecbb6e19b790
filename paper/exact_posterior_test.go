package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The primary claim compares two posteriors on the same weights, and chains that don't mix decide
// nothing.
func TestExactPosteriorDecides(t *testing.T) {
	r := fabricated(t, exactPosterior, func(method string, seed uint64, _ int) float64 {
		return map[string]float64{exactName(mapName, wideQ): 1,
			exactName(mapName, exactZ): 2}[method] + 0.01*float64(seed)*float64(len(method)%2)
	})
	for i := range r.Runs {
		r.Runs[i].Exact.ratio = 0.5 + 0.01*float64(r.Runs[i].Seed)
	}
	verdicts := r.Verdicts()
	primary, _ := verdicts.primary()
	if primary.Outcome != Holds || verdicts[9].Outcome != Holds {
		t.Errorf("q is one nat below: %s; it's half as wide: %s (%s)", primary.Outcome,
			verdicts[9].Outcome, verdicts[9].Detail)
	}
	for i, run := range r.Runs {
		if run.Method == exactName(mapName, exactZ) && run.Seed == 3 {
			r.Runs[i].Exact.unmixed = "the chains don't mix"
		}
	}
	want := "weights of MAP; exact z: chains don't mix"
	if title := exactTitle(r, mapName); title != want {
		t.Errorf("the title is %q, want %q", title, want)
	}
	if primary, _ = r.Verdicts().primary(); primary.Outcome != NotEvaluated ||
		primary.Detail != "the chains don't mix" {
		t.Errorf("with chains that don't mix the primary claim %s: %s", primary.Outcome,
			primary.Detail)
	}
}

// The geometric mean of the ratios to two standard deviations, which are half and twice q's.
func TestWidthRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := make([][][]float64, 2)
	for c := range draws {
		for range 50_000 {
			draws[c] = append(draws[c], []float64{1 + 0.4*rng.NormFloat64(),
				2 + 0.05*rng.NormFloat64()})
		}
	}
	testkit.Near(t, "ratio", widthRatio([]float64{0.2, 0.2}, draws), math.Sqrt(0.5*4), 0.01)
}

func TestExactPosteriorRefusesScales(t *testing.T) {
	testkit.Error(t, "smoke", exactPosterior.Validate(Smoke), "figure exact-posterior has no runs "+
		"at this scale: choose --scale quick")
}
