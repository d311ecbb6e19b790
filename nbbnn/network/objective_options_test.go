package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// componentSums adds up, in plain float64, the entropies of the components and their divergences
// from N(1, priorStd^2).
func componentSums(mean, sigma [][]float64, priorStd float64) (entropy, divergence float64) {
	for k := range mean {
		for d, s := range sigma[k] {
			entropy += 0.5*math.Log(2*math.Pi*math.E) + math.Log(s)
			shift := mean[k][d] - 1
			divergence += math.Log(priorStd/s) + (s*s+shift*shift)/(2*priorStd*priorStd) - 0.5
		}
	}
	return entropy, divergence
}

// The loss with the options of the published code: kl_type "full" sums over the components,
// entropy_type "conditional" takes their mean and "conditional_sum" their sum.
func TestObjectiveOptions(t *testing.T) {
	const priorStd, gamma, beta, images, nll = 0.3, 4.0, 0.5, 100, 1.25
	random := rand.New(rand.NewPCG(11, 12))
	mean, sigma := randomPosterior(random, 3, 4)
	second, secondSigma := randomPosterior(random, 3, 2)
	entropy, divergence := componentSums(mean, sigma, priorStd)
	more, moreDivergence := componentSums(second, secondSigma, priorStd)
	entropy, divergence = entropy+more, divergence+moreDivergence
	plain := run(t, func(args []*Node) []*Node {
		terms := ObjectiveTerms(args[:2], args[2:], priorStd, Objective{Bound: ReferenceBound, Scope: LayerScope})
		return []*Node{terms.KL, terms.Entropy}
	}, mean, second, sigma, secondSigma)
	kl, bound := plain[0].(float64), plain[1].(float64)
	for _, c := range []struct {
		name      string
		objective Objective
		want      float64
	}{
		{"default", Objective{}, kl - gamma*bound},
		{"full", Objective{Divergence: ComponentDivergence}, divergence - gamma*bound},
		{"conditional", Objective{ExtraEntropy: MeanComponentEntropy}, kl - gamma*entropy/3},
		{"conditional_sum", Objective{ExtraEntropy: SumComponentEntropy}, kl - gamma*entropy},
		{"full with conditional_sum", Objective{Divergence: ComponentDivergence, ExtraEntropy: SumComponentEntropy}, divergence - gamma*entropy},
	} {
		got := run(t, func(args []*Node) []*Node {
			c.objective.Bound, c.objective.Scope = ReferenceBound, LayerScope
			terms := ObjectiveTerms(args[:2], args[2:], priorStd, c.objective)
			g := args[0].Graph()
			return []*Node{Loss(Const(g, nll), terms, gamma, Const(g, beta), images)}
		}, mean, second, sigma, secondSigma)[0]
		near(t, c.name, got, nll+beta/images*c.want, 1e-12)
	}
}

func TestTemperature(t *testing.T) {
	for _, gamma := range []float64{0, 1, 8, 160} {
		back := testkit.Must(GammaOfTemperature(Temperature(gamma)))(t)
		near(t, "gamma of its temperature", back, gamma, 1e-12)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := GammaOfTemperature(bad); err == nil {
			t.Errorf("temperature %g is accepted", bad)
		}
	}
}

// Far out, the gradients are finite and keep to their limits: where rho is very small, dR/drho is
// -(1+gamma)/K, since sigma is exp(rho).
func TestObjectiveGradientsAtExtremeRho(t *testing.T) {
	const gamma = 80
	gradient := func(rho [][]float32, bound Bound) [][]float32 {
		return run(t, func(args []*Node) []*Node {
			terms := ObjectiveTerms([]*Node{OnesLike(args[0])}, []*Node{StandardDeviation(args[0])}, 0.3, Objective{Bound: bound, Scope: LayerScope})
			return Gradient(Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 1+gamma)), args[0])
		}, rho)[0].([][]float32)
	}
	for _, bound := range []Bound{ReferenceBound, ExactBound} {
		limit := float32(-(1 + gamma) / 2.0)
		got := gradient([][]float32{{-70, -40, -20}, {-70, -40, -20}}, bound)
		near(t, string(bound)+": gradient of rho", got, [][]float32{{limit, limit, limit}, {limit, limit, limit}}, 1e-3)
		for _, value := range testkit.Flatten(gradient([][]float32{{-60, -20, 0, 20}, {-40, -10, 5, 60}}, bound)) {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				t.Errorf("%s: a gradient at extreme rho is %v", bound, value)
			}
		}
	}
}

// With one component KL is that of two Gaussians, and the options of the published code make no
// difference.
func TestSingleComponentIsAGaussian(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	mean, sigma := randomPosterior(random, 1, 7)
	_, divergence := componentSums(mean, sigma, 0.3)
	for _, objective := range []Objective{
		{Bound: ReferenceBound}, {Bound: ExactBound}, {Bound: ReferenceBound, Scope: JointScope},
		{Divergence: ComponentDivergence, ExtraEntropy: SumComponentEntropy}, {ExtraEntropy: MeanComponentEntropy},
	} {
		outputs := run(t, func(args []*Node) []*Node {
			terms := ObjectiveTerms(args[:1], args[1:], 0.3, objective)
			return []*Node{terms.KL, terms.regulariser(5), Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 6))}
		}, mean, sigma)
		near(t, fmt.Sprintf("KL with %+v", objective), outputs[0], divergence, 1e-12)
		near(t, fmt.Sprintf("regulariser with %+v", objective), outputs[1], outputs[2], 1e-12)
	}
}
