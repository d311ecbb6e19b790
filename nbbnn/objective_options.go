package nbbnn

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Divergence says what stands for the divergence of the posterior from the prior in the loss (METHOD.md 3.2).
type Divergence string

// The divergences: kl_type of the published code, whose "mean" doesn't run there.
const (
	MixtureDivergence   Divergence = ""     // of the mixture, with the bound on its entropy: upper_bound
	ComponentDivergence Divergence = "full" // the sum, not the mean, of KL(q_k, p) over the components
)

// ExtraEntropy says which entropy of the posterior gamma multiplies (METHOD.md 3.2).
type ExtraEntropy string

// The entropies: entropy_type of the published code.
const (
	MixtureEntropy       ExtraEntropy = ""                // the bound on that of the mixture: BD
	MeanComponentEntropy ExtraEntropy = "conditional"     // the mean over the components of their entropies
	SumComponentEntropy  ExtraEntropy = "conditional_sum" // the sum of them
)

// ObjectiveTerms returns the terms of an objective for the posterior of all layers; means and sigmas hold one [K, D] per
// layer.
func ObjectiveTerms(means, sigmas []*Node, priorStd float64, objective Objective) Terms {
	return joinLayers(means, sigmas).objectiveTerms(priorStd, objective)
}

// objectiveTerms are those of ObjectiveTerms.
func (l layers) objectiveTerms(priorStd float64, objective Objective) Terms {
	terms := l.terms(priorStd, objective.Bound, objective.Scope)
	components := float64(l.mean.Shape().Dim(0))
	if objective.Divergence == ComponentDivergence {
		terms.Divergence = MulScalar(Sub(terms.CrossEntropy, l.meanComponentEntropy()), components)
	}
	switch objective.ExtraEntropy {
	case MeanComponentEntropy:
		terms.Extra = l.meanComponentEntropy()
	case SumComponentEntropy:
		terms.Extra = MulScalar(l.meanComponentEntropy(), components)
	}
	return terms
}

// meanComponentEntropy is the entropy of a component, on average over the components and summed over the layers, a scalar.
func (l layers) meanComponentEntropy() *Node { return ReduceAllMean(gaussianEntropy(l.sigma)) }

// regulariser is what beta and the number of images scale in the loss: KL - gamma H.
func (t Terms) regulariser(gamma float64) *Node {
	if t.Divergence == nil && t.Extra == nil {
		return Sub(t.CrossEntropy, MulScalar(t.Entropy, 1+gamma))
	}
	divergence, extra := t.KL, t.Entropy
	if t.Divergence != nil {
		divergence = t.Divergence
	}
	if t.Extra != nil {
		extra = t.Extra
	}
	return Sub(divergence, MulScalar(extra, gamma))
}

// Temperature is the exponent tau = 1/(gamma+1) of the tempered posterior, p(D|theta,Z)^tau p(Z)^tau up to a constant, that the
// objective with the given gamma approximates. At gamma 0 it's 1; a large gamma is a hot posterior.
func Temperature(gamma float64) float64 { return 1 / (1 + gamma) }

// GammaOfTemperature is the gamma whose Temperature is tau, above 0.
func GammaOfTemperature(tau float64) (float64, error) {
	if !(tau > 0) || math.IsInf(tau, 0) {
		return 0, fmt.Errorf("nbbnn: temperature %g: give a positive number, 1 for the plain posterior", tau)
	}
	return 1/tau - 1, nil
}
