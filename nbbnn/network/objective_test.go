package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// objectiveOracle is one case of oracles.json: a posterior, and the objective's terms with either
// coefficient.
type objectiveOracle struct {
	Name     string      `json:"name"`
	Mean     [][]float64 `json:"mu"`
	Sigma    [][]float64 `json:"sigma"`
	Rho      [][]float64 `json:"rho"`
	PriorStd float64     `json:"prior_std"`
	Gamma    float64     `json:"gamma"`
	Beta     float64     `json:"beta"`
	Images   int         `json:"N"`
	NLL      float64     `json:"nll"`
	Exact    objectiveTerms
	Ref      objectiveTerms `json:"reference"`
}

type objectiveTerms struct {
	OwnEntropy   []float64   `json:"H_qk"`
	CrossEntropy float64     `json:"CE"`
	Distance     [][]float64 `json:"distance"`
	Entropy      float64     `json:"H_lb"`
	KL           float64     `json:"KL"`
	Loss         float64     `json:"loss"`

	Gradient map[string][][]float64 `json:"grad_CE_minus_(1+gamma)H"` // METHOD.md 3.3
}

// termsOf returns the terms of the posteriors of layers, each [K, D].
func termsOf(means, sigmas []*Node, priorStd float64, objective Objective) Terms {
	return joinLayers(means, sigmas).objectiveTerms(priorStd, objective)
}

func TestObjectiveAgreesWithOracles(t *testing.T) {
	const tolerance = 1e-12
	for _, c := range testkit.Oracle[[]objectiveOracle](t, "objective") {
		for bound, want := range map[Bound]objectiveTerms{ExactBound: c.Exact,
			ReferenceBound: c.Ref} {
			t.Run(c.Name+"/"+string(bound), func(t *testing.T) {
				outputs := run(t, func(args []*Node) []*Node {
					mean, rho := args[0], args[1]
					sigma := standardDeviation(rho)
					terms := termsOf([]*Node{mean}, []*Node{sigma}, c.PriorStd,
						Objective{Bound: bound, Scope: layerScope})
					g := mean.Graph()
					loss := gammaELBO(Const(g, c.NLL), terms, c.Gamma, Const(g, c.Beta), c.Images)
					values := []*Node{gaussianEntropy(sigma),
						ReduceSum(overlapDistance(mean, sigma, bound.coefficient()), -1),
						terms.CrossEntropy, terms.Entropy, terms.KL, loss}
					return append(values,
						Gradient(Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 1+c.Gamma)), mean,
							rho, sigma)...)
				}, c.Mean, c.Rho)
				testkit.Near(t, "entropy of each component", outputs[0], want.OwnEntropy, tolerance)
				testkit.Near(t, "distance", outputs[1], want.Distance, tolerance)
				testkit.Near(t, "cross-entropy", outputs[2], want.CrossEntropy, tolerance)
				testkit.Near(t, "entropy bound", outputs[3], want.Entropy, tolerance)
				testkit.Near(t, "KL", outputs[4], want.KL, tolerance)
				testkit.Near(t, "loss", outputs[5], want.Loss, tolerance)
				for i, name := range []string{"mu", "rho", "sigma"} {
					testkit.Near(t, "gradient of "+name, outputs[6+i], want.Gradient[name], 1e-11)
				}
			})
		}
	}
}

func TestSoftplusAgreesWithOracles(t *testing.T) {
	for _, c := range testkit.Oracle[[]struct {
		Rho, Sigma float64
		Derivative float64 `json:"dsigma_drho"`
	}](t, "softplus") {
		outputs := run(t, func(args []*Node) []*Node {
			sigma := standardDeviation(args[0])
			return append([]*Node{sigma}, Gradient(sigma, args[0])...)
		}, c.Rho)
		testkit.Near(t, fmt.Sprintf("softplus(%g)", c.Rho), outputs[0], c.Sigma, 1e-12)
		testkit.Near(t, fmt.Sprintf("derivative of softplus at %g", c.Rho), outputs[1],
			c.Derivative, 1e-12)
	}
	for _, c := range testkit.Oracle[[]struct{ Sigma, Rho float64 }](t, "inv_softplus") {
		testkit.Near(t, fmt.Sprintf("inverse softplus of %g", c.Sigma), inverseSoftplus(c.Sigma),
			c.Rho, 1e-12)
	}
}

// randomPosterior draws means and standard deviations [components, dimensions].
func randomPosterior(random *rand.Rand, components, dimensions int) (mean, sigma [][]float64) {
	for range components {
		var m, s []float64
		for range dimensions {
			m = append(m, 1+0.3*random.NormFloat64())
			s = append(s, 0.1+0.4*random.Float64())
		}
		mean, sigma = append(mean, m), append(sigma, s)
	}
	return mean, sigma
}

func entropyBound(t *testing.T, mean, sigma [][]float64, bound Bound) float64 {
	t.Helper()
	return run(t, func(args []*Node) []*Node {
		return []*Node{EntropyBound(args[0], args[1], bound)}
	}, mean, sigma)[0].(float64)
}

func TestEntropyBoundProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 20 {
		components := 1 + trial%4
		mean, sigma := randomPosterior(random, components, 5)
		own := 0.0
		for k := range components {
			own += entropyBound(t, mean[k:k+1], sigma[k:k+1], ExactBound) / float64(components)
		}
		exact, reference := entropyBound(t, mean, sigma, ExactBound), entropyBound(t, mean, sigma,
			ReferenceBound)
		if most := own + math.Log(float64(components)); exact < own-1e-12 || exact > most+1e-12 {
			t.Errorf("bound %g outside [%g, %g]", exact, own, most)
		}
		if reference > exact+1e-12 {
			t.Errorf("reference bound %g above the exact one %g", reference, exact)
		}
		doubled := entropyBound(t, append(mean, mean...), append(sigma, sigma...), ReferenceBound)
		testkit.Near(t, "bound with every component twice", doubled, reference, 1e-12)
		mean[0], mean[components-1] = mean[components-1], mean[0]
		sigma[0], sigma[components-1] = sigma[components-1], sigma[0]
		testkit.Near(t, "bound after permuting the components", entropyBound(t, mean, sigma,
			ReferenceBound), reference, 1e-12)
	}
}

// gamma = -1 removes the entropy, beta = 0 the whole regulariser; without data the best sigma is s
// sqrt(1+gamma).
func TestLossSpecialCases(t *testing.T) {
	loss := func(gamma, beta, sigma float64) []any {
		return run(t, func(args []*Node) []*Node {
			terms := termsOf(args[:1], args[1:2], 0.3, Objective{Bound: ReferenceBound,
				Scope: layerScope})
			g := args[0].Graph()
			l := gammaELBO(Const(g, 2.0), terms, gamma, Const(g, beta), 10)
			return []*Node{l, terms.CrossEntropy, Gradient(l, args[1])[0]}
		}, [][]float64{{1}}, [][]float64{{sigma}})
	}
	outputs := loss(-1, 1, 0.2)
	testkit.Near(t, "loss at gamma -1", outputs[0], 2+outputs[1].(float64)/10, 1e-12)
	outputs = loss(5, 0, 0.2)
	testkit.Near(t, "loss at beta 0", outputs[0], 2.0, 0)
	testkit.Near(t, "its gradient", outputs[2], [][]float64{{0}}, 0)
	outputs = loss(3, 1, 0.3*math.Sqrt(1+3))
	testkit.Near(t, "gradient at the optimum", outputs[2], [][]float64{{0}}, 1e-12)
}

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
		terms := termsOf(args[:2], args[2:], priorStd, Objective{Bound: ReferenceBound,
			Scope: layerScope})
		return []*Node{terms.KL, terms.Entropy}
	}, mean, second, sigma, secondSigma)
	kl, bound := plain[0].(float64), plain[1].(float64)
	for _, c := range []struct {
		name      string
		objective Objective
		want      float64
	}{
		{"default", Objective{}, kl - gamma*bound},
		{"full", Objective{Divergence: componentDivergence}, divergence - gamma*bound},
		{"conditional", Objective{ExtraEntropy: meanComponentEntropy}, kl - gamma*entropy/3},
		{"conditional_sum", Objective{ExtraEntropy: sumComponentEntropy}, kl - gamma*entropy},
		{"full with conditional_sum", Objective{Divergence: componentDivergence,
			ExtraEntropy: sumComponentEntropy}, divergence - gamma*entropy},
	} {
		got := run(t, func(args []*Node) []*Node {
			c.objective.Bound, c.objective.Scope = ReferenceBound, layerScope
			terms := termsOf(args[:2], args[2:], priorStd, c.objective)
			g := args[0].Graph()
			return []*Node{gammaELBO(Const(g, nll), terms, gamma, Const(g, beta), images)}
		}, mean, second, sigma, secondSigma)[0]
		testkit.Near(t, c.name, got, nll+beta/images*c.want, 1e-12)
	}
}

func TestTemperature(t *testing.T) {
	for _, gamma := range []float64{0, 1, 8, 160} {
		testkit.Near(t, "temperature", 1/Temperature(gamma), 1+gamma, 1e-12)
	}
}

// Far out, the gradients are finite and keep to their limits: where rho is very small, dR/drho is
// -(1+gamma)/K, since sigma is exp(rho).
func TestObjectiveGradientsAtExtremeRho(t *testing.T) {
	const gamma = 80
	gradient := func(rho [][]float32, bound Bound) [][]float32 {
		return run(t, func(args []*Node) []*Node {
			terms := termsOf([]*Node{OnesLike(args[0])}, []*Node{standardDeviation(args[0])},
				0.3, Objective{Bound: bound, Scope: layerScope})
			return Gradient(Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 1+gamma)), args[0])
		}, rho)[0].([][]float32)
	}
	for _, bound := range []Bound{ReferenceBound, ExactBound} {
		limit := float32(-(1 + gamma) / 2.0)
		got := gradient([][]float32{{-70, -40, -20}, {-70, -40, -20}}, bound)
		testkit.Near(t, string(bound)+": gradient of rho", got, [][]float32{{limit, limit, limit},
			{limit, limit, limit}}, 1e-3)
		for _, value := range testkit.Flatten(gradient([][]float32{{-60, -20, 0, 20},
			{-40, -10, 5, 60}}, bound)) {
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
		{Bound: ReferenceBound}, {Bound: ExactBound}, {Bound: ReferenceBound, Scope: jointScope},
		{Divergence: componentDivergence, ExtraEntropy: sumComponentEntropy},
		{ExtraEntropy: meanComponentEntropy},
	} {
		outputs := run(t, func(args []*Node) []*Node {
			terms := termsOf(args[:1], args[1:], 0.3, objective)
			return []*Node{terms.KL, terms.regulariser(timesConstant(5)),
				Sub(terms.CrossEntropy, MulScalar(terms.Entropy, 6))}
		}, mean, sigma)
		testkit.Near(t, fmt.Sprintf("KL with %+v", objective), outputs[0], divergence, 1e-12)
		testkit.Near(t, fmt.Sprintf("regulariser with %+v", objective), outputs[1], outputs[2],
			1e-12)
	}
}
