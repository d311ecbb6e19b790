package network

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Terms are the parts of the objective that depend only on the posterior, scalars in nats, summed
// over the layers.
type Terms struct {
	CrossEntropy *Node // H[q, p], cross-entropy of the posterior and the prior
	// sum of lower bounds on each layer's entropy; in the scope "joint" one on H[q]
	Entropy *Node
	KL      *Node // CrossEntropy - Entropy

	Divergence *Node // replaces KL in the loss; nil means KL
	Extra      *Node // the entropy that gamma multiplies; nil means Entropy
}

// LossGraph is the graph of the loss of a batch while it's built, as a loss of one's own sees it.
type LossGraph struct {
	LogProbabilities *Node // of the classes, [images, samples, classes]
	Labels           *Node // classes of the images, [images]
	NLL              *Node // mean negative log-likelihood of all images and samples, a scalar
	Beta             *Node // annealing of the regulariser, a scalar
	Terms            Terms // of the posterior; zeros in a network without latents
	Images           int   // that an epoch uses

	timesGamma func(x *Node, plus int) *Node // x (gamma + plus), where plus is 0 or 1
}

// ELBO returns the negative gamma-ELBO per training image (paper, equation 2, scaled by -1/images;
// METHOD.md 3.1), a scalar, with NLL or another term of the likelihood in its place:
//
//	L(gamma, beta) = E_q[log p(D|theta, Z)] + log p(theta) + beta (-H[q, p] + (gamma+1) H[q])
//	loss           = nll + beta/images (H[q, p] - (gamma+1) H[q])
//
// The bracket is computed from Terms, with EntropyBound for H[q]. log p(theta) is the weight decay
// of the update rule, Training.WeightDecay, and no part of the loss.
func (l LossGraph) ELBO(nll *Node) *Node {
	return Add(nll, Mul(DivScalar(l.Beta, float64(l.Images)), l.Terms.regulariser(l.timesGamma)))
}

func timesConstant(gamma float64) func(x *Node, plus int) *Node {
	return func(x *Node, plus int) *Node { return MulScalar(x, float64(plus)+gamma) }
}

// joinedPosteriors are the posteriors of all layers, concatenated: one large node is faster than a
// small one for each layer.
type joinedPosteriors struct {
	mean, sigma *Node // [K, sum of the layers' D]
	dimensions  []int // D of each layer
}

func joinLayers(means, sigmas []*Node) joinedPosteriors {
	joined := joinedPosteriors{mean: operation.Join(means), sigma: operation.Join(sigmas)}
	for _, mean := range means {
		joined.dimensions = append(joined.dimensions, mean.Shape().Dim(1))
	}
	return joined
}

// crossEntropy returns H[q, p] in nats, a scalar, of the equally weighted mixture of K Gaussians
// with the given means and standard deviations, both [K, D], and the prior N(1, priorStd^2)
// (METHOD.md 3.2).
func crossEntropy(mean, sigma *Node, priorStd float64) *Node {
	squares := Add(Square(sigma), Square(AddScalar(mean, -1))) // [K, D]
	constant := logRoot2Pi + math.Log(priorStd)
	nats := AddScalar(MulScalar(squares, 0.5/(priorStd*priorStd)), constant) // [K, D]
	return ReduceAllMean(ReduceSum(nats, -1))
}

// EntropyBound returns a lower bound on the entropy in nats, a scalar, of the equally weighted
// mixture of K Gaussians with the given means and standard deviations, both [K, D]. It's exact when
// the components coincide and when they are far apart (METHOD.md 3.2).
func EntropyBound(mean, sigma *Node, bound Bound) *Node {
	return joinLayers([]*Node{mean}, []*Node{sigma}).entropyBound(bound)
}

// entropyBound sums EntropyBound over the layers.
func (p joinedPosteriors) entropyBound(bound Bound) *Node {
	own := gaussianEntropy(p.sigma) // [K]
	components := own.Shape().Dim(0)
	if components == 1 {
		return ReduceAllMean(own)
	}
	distances := p.sum(overlapDistance(p.mean, p.sigma, bound.coefficient())) // [layers, K, K]
	overlap := ReduceSum(logSumExp(Neg(distances)), 0)                        // [K]
	most := float64(len(p.dimensions)) * math.Log(float64(components))
	return ReduceAllMean(AddScalar(Sub(own, overlap), most))
}

// sum adds up the dimensions of each layer, the last axis of x [K, K, sum of D], to [layers, K, K].
func (p joinedPosteriors) sum(x *Node) *Node {
	sums, first := make([]*Node, len(p.dimensions)), 0
	for layer, dimensions := range p.dimensions {
		own := Slice(x, AxisRange(), AxisRange(), AxisRange(first, first+dimensions))
		sums[layer] = ReduceSum(own, -1)
		first += dimensions
	}
	return Stack(sums, 0)
}

// logRoot2Pi is log(sqrt(2 pi)), half the logarithm of a unit Gaussian's normaliser.
const logRoot2Pi = 0.918938533204672741780329736406

// gaussianEntropy returns the entropy of each component, [K], from the standard deviations [K, D].
func gaussianEntropy(sigma *Node) *Node {
	return ReduceSum(AddScalar(Log(sigma), logRoot2Pi+0.5), -1)
}

// overlapDistance returns each dimension's part of minus the log overlap of each pair of
// components, [K, K, D], zero on the diagonal. The coefficient 1/4 makes it the Bhattacharyya
// distance. It takes the logarithms of variances only: in float32 the square of a small standard
// deviation would be zero.
func overlapDistance(mean, sigma *Node, coefficient float64) *Node {
	logSigma := Log(sigma)
	// All are [K, K, D]; logScale is half the logarithm of v_k + v_r.
	spread := logCosh(pairwise(logSigma, Sub))
	logScale := MulScalar(Add(pairwise(logSigma, Add), AddScalar(spread, math.Ln2)), 0.5)
	difference := Mul(pairwise(mean, Sub), Exp(Neg(logScale)))
	apart := Square(ClipScalar(difference, -farApart, farApart))
	return Add(MulScalar(apart, coefficient), MulScalar(spread, 0.5))
}

// farApart is a distance in standard deviations beyond which the overlap of two components is zero
// in any precision.
const farApart = 1e6

// logCosh returns log(cosh(x)), which is zero with zero gradient at zero.
func logCosh(x *Node) *Node {
	return AddScalar(Add(Abs(x), Log1P(Exp(MulScalar(Abs(x), -2)))), -math.Ln2)
}

// pairwise combines every two rows of x [K, D] into [K, K, D].
func pairwise(x *Node, combine func(a, b *Node) *Node) *Node {
	return combine(ExpandAxes(x, 1), ExpandAxes(x, 0))
}

// logSumExp reduces the last axis without overflow.
func logSumExp(x *Node) *Node {
	largest := StopGradient(ReduceAndKeep(x, ReduceMax, -1))
	return Add(Squeeze(largest, -1), Log(ReduceSum(Exp(Sub(x, largest)), -1)))
}

// coefficient returns c of METHOD.md 3.2: the weight of the squared distance of two means.
func (b Bound) coefficient() float64 {
	if b == ExactBound {
		return 1.0 / 4
	}
	return 1.0 / 16
}

// objectiveTerms returns the terms of an objective for the posterior of all layers. The scopes
// differ in the entropy of mixtures with several components (METHOD.md 3.2).
func (p joinedPosteriors) objectiveTerms(priorStd float64, objective Objective) Terms {
	if objective.Scope == jointScope {
		p.dimensions = []int{p.mean.Shape().Dim(1)}
	}
	terms := Terms{
		CrossEntropy: crossEntropy(p.mean, p.sigma, priorStd),
		Entropy:      p.entropyBound(objective.Bound),
	}
	terms.KL = Sub(terms.CrossEntropy, terms.Entropy)
	components := float64(p.mean.Shape().Dim(0))
	if objective.Divergence == componentDivergence {
		terms.Divergence = MulScalar(Sub(terms.CrossEntropy, p.meanComponentEntropy()), components)
	}
	switch objective.ExtraEntropy {
	case meanComponentEntropy:
		terms.Extra = p.meanComponentEntropy()
	case sumComponentEntropy:
		terms.Extra = MulScalar(p.meanComponentEntropy(), components)
	}
	return terms
}

// meanComponentEntropy returns the mean over the components of their entropies, summed over the
// layers, a scalar.
func (p joinedPosteriors) meanComponentEntropy() *Node {
	return ReduceAllMean(gaussianEntropy(p.sigma))
}

// regulariser returns KL - gamma H, the part of the loss that beta and the number of images scale.
func (t Terms) regulariser(timesGamma func(x *Node, plus int) *Node) *Node {
	if t.Divergence == nil && t.Extra == nil {
		return Sub(t.CrossEntropy, timesGamma(t.Entropy, 1))
	}
	divergence, extra := t.KL, t.Entropy
	if t.Divergence != nil {
		divergence = t.Divergence
	}
	if t.Extra != nil {
		extra = t.Extra
	}
	return Sub(divergence, timesGamma(extra, 0))
}

// Temperature returns the exponent tau = 1/(gamma+1) of the tempered posterior, p(D|theta,Z)^tau
// p(Z)^tau up to a constant, that the objective with the given gamma approximates. At gamma 0 it's
// 1; a large gamma is a hot posterior.
func Temperature(gamma float64) float64 { return 1 / (1 + gamma) }

// modelTerms returns the terms of the objective for the parameters of a pass.
func modelTerms(m *Model, p *pass) Terms {
	if m.Settings.Posterior.Mode == Deterministic {
		zero := func() *Node { return ScalarZero(p.graph, p.numbers()) }
		return Terms{CrossEntropy: zero(), Entropy: zero(), KL: zero()}
	}
	layers := m.Architecture.noisy()
	mean, rho := p.posterior(layers)
	joined := joinedPosteriors{mean: mean, sigma: standardDeviation(rho)}
	for _, l := range layers {
		joined.dimensions = append(joined.dimensions, latentDimensions(p.mode, l.in, l.out))
	}
	return joined.objectiveTerms(m.Settings.Posterior.PriorStd, m.Settings.Objective)
}

// standardDeviation returns softplus(rho) = log(1 + exp(rho)), the positive standard deviation for
// the unconstrained parameter rho, of the same shape. It doesn't overflow for rho of any size.
func standardDeviation(rho *Node) *Node {
	return Add(MaxScalar(rho, 0), Log1P(Exp(Neg(Abs(rho)))))
}
