package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The primary claim compares gamma with the exact posterior, and chains that don't mix decide
// nothing.
func TestExactPosteriorDecides(t *testing.T) {
	r := fabricated(t, exactPosterior, func(method string, seed uint64, _ int) float64 {
		return map[string]float64{wideQ: 1, plainExact: 2}[method] +
			0.01*float64(seed)*float64(len(method)%2)
	})
	for i := range r.Runs {
		r.Runs[i].Exact.layers = []layerFit{{name: "stem",
			widths: []float64{-1 + 0.01*float64(r.Runs[i].Seed)}}}
	}
	verdicts := r.Verdicts()
	primary, _ := verdicts.primary()
	if primary.Outcome != Holds || verdicts[8].Outcome != Holds {
		t.Errorf("q is one nat below: %s; it's half as wide: %s (%s)", primary.Outcome,
			verdicts[8].Outcome, verdicts[8].Detail)
	}
	for i, run := range r.Runs {
		if run.Method == plainExact && run.Seed == 3 {
			r.Runs[i].Exact.unmixed = "the chains don't mix"
		}
	}
	if title := exactTitle(r); title != "chains don't mix: γ = 0, exact z" {
		t.Errorf("the title is %q", title)
	}
	if primary, _ = r.Verdicts().primary(); primary.Outcome != NotEvaluated ||
		primary.Detail != "the chains don't mix" {
		t.Errorf("with chains that don't mix the primary claim %s: %s", primary.Outcome,
			primary.Detail)
	}
}

// The draws have a standard deviation of half q's and of twice q's, with a mean that is one of
// theirs away.
func TestLayerFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var draws [][]float64
	for range 100_000 {
		draws = append(draws, []float64{1 + 0.1*rng.NormFloat64(), 1.4 + 0.4*rng.NormFloat64()})
	}
	fits := layerFits([]network.LayerPosterior{
		{Name: "stem", Mean: [][]float64{{1}}, Sigma: [][]float64{{0.2}}},
		{Name: "logits", Mean: [][]float64{{1}}, Sigma: [][]float64{{0.2}}},
	}, draws, 0.2)
	testkit.Near(t, "the stem's draws and the prior", fits[0].learnt[0], -1, 0.02)
	testkit.Near(t, "width of the stem", fits[0].widths[0], 1, 0.02)
	testkit.Near(t, "width of the logits", fits[1].widths[0], -1, 0.02)
	testkit.Near(t, "KL of the stem", fits[0].kl, 1.5-math.Ln2, 0.05)
	testkit.Near(t, "KL of the logits", fits[1].kl, 0.125+math.Ln2, 0.02)
}

// The draws of ten latents are 1.5 to 10.5 times as wide as q, and what is drawn is the second, the
// sixth and the tenth.
func TestMarginals(t *testing.T) {
	r := fabricated(t, exactPosterior, func(string, uint64, int) float64 { return 1 })
	if m := marginalsOf(r); m.Nodes != nil {
		t.Errorf("networks without draws have marginals %v", m.Nodes)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range r.Runs {
		exact := &r.Runs[i].Exact
		for range 5000 {
			z := make([]float64, 10)
			for latent := range z {
				z[latent] = 1 + (10.5-float64(latent))*0.1*rng.NormFloat64()
			}
			exact.draws = append(exact.draws, z)
		}
		exact.q = []network.LayerPosterior{
			{Name: "stem", Mean: [][]float64{{1, 1, 1, 1}}, Sigma: [][]float64{{.1, .1, .1, .1}}},
			{Name: "logits", Mean: [][]float64{{1, 1, 1, 1, 1, 2}},
				Sigma: [][]float64{{.1, .1, .1, .1, .1, .1}}},
		}
		exact.layers = layerFits(exact.q, exact.draws, 1)
	}
	m := marginalsOf(r)
	for i, want := range []marginal{
		{Node: "logits, node 5 (percentile 10)", Plain: [2]float64{1, 0.1}},
		{Node: "logits, node 1 (percentile 50)", Plain: [2]float64{1, 0.1}},
		{Node: "stem, node 1 (percentile 90)", Plain: [2]float64{1, 0.1}},
	} {
		if node := m.Nodes[i]; node.Node != want.Node || node.Plain != want.Plain {
			t.Errorf("latent %d is %s with q %v, want %s", i, node.Node, node.Plain, want.Node)
		}
	}
	all := 0.0
	for i, density := range m.Nodes[1].Density {
		all += density * (m.Nodes[1].Middles[1] - m.Nodes[1].Middles[0])
		if x := (m.Nodes[1].Middles[i] - 1) / 0.65; math.Abs(x) < 1 {
			testkit.Near(t, "density", density, math.Exp(-x*x/2)/(0.65*2.507), 0.06)
		}
	}
	testkit.Near(t, "the sum of all bins", all, 1, 1e-9)
	testkit.Must(m.draw())(t)
}

func TestExactPosteriorRefusesScales(t *testing.T) {
	testkit.Error(t, "smoke", exactPosterior.Validate(Smoke), "figure exact-posterior has no runs "+
		"at this scale: choose --scale quick")
}
