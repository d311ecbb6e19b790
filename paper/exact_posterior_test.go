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
	if primary, _ = r.Verdicts().primary(); primary.Outcome != NotEvaluated ||
		primary.Detail != "the chains don't mix" {
		t.Errorf("with chains that don't mix the primary claim %s: %s", primary.Outcome,
			primary.Detail)
	}
}

// The marginals of draws from N(m, s^2) differ from q as the Gaussians do.
func TestMarginals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := make([][][]float32, 2)
	for c := range draws {
		for range 50_000 {
			draws[c] = append(draws[c], []float32{float32(1 + 0.4*rng.NormFloat64()),
				float32(2 + 0.1*rng.NormFloat64())})
		}
	}
	e := marginals([]float64{1.2, 2}, []float64{0.2, 0.2}, draws)
	first := (0.25+0.25-1)/2 + math.Log(2)
	second := (4-1)/2.0 - math.Log(2)
	testkit.Near(t, "ratio", e.ratio, 1, 0.01)
	testkit.Near(t, "divergence", e.divergence, (first+second)/2, 0.03)
}
