package hmc

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// adaptation chooses the length of the steps and the mass from the chains' history.
type adaptation struct {
	warmup      int
	target      float64   // acceptance that the step is adapted to
	inverseMass []float64 // variances of the dimensions
	step        float64

	// Of dual averaging since the mass changed (Hoffman and Gelman 2014, section 3.2).
	count                   int
	error, average, logStep float64
	begun                   int // transition from which on the next mass is estimated
}

// Acceptance is the usual target of dual averaging: more than the published 0.65, which suits
// longer paths.
const Acceptance = 0.8

// The other constants of dual averaging, as published.
const (
	firstStep     = 0.1
	shrinkage     = 0.05
	stabilisation = 10
	forgetting    = 0.75
)

func newAdaptation(warmup int, target float64, scale []float64) adaptation {
	a := adaptation{warmup: warmup, target: target, step: firstStep}
	for _, s := range scale {
		a.inverseMass = append(a.inverseMass, s*s)
	}
	a.restart(0)
	return a
}

// restart begins dual averaging at ten times the step, and the next estimate of the mass.
func (a *adaptation) restart(at int) {
	a.logStep, a.count, a.error, a.average, a.begun = math.Log(10*a.step), 0, 0, 0, at
}

// add learns from transition number i of all chains. Nothing changes after the warm-up.
func (a *adaptation) add(t Trace, i int) {
	if i >= a.warmup {
		return
	}
	acceptance := 0.0
	for _, transitions := range t.Transitions {
		acceptance += transitions[i].Acceptance / float64(len(t.Transitions))
	}
	a.learn(acceptance)
	done := i + 1
	estimates := a.estimates(done)
	if estimates || done == a.warmup {
		a.step = math.Exp(a.average)
	}
	if estimates {
		a.inverseMass = t.variances(a.begun+1, done+1)
		a.restart(done)
	}
}

// estimates reports whether the mass is estimated after a number of transitions: at an eighth, a
// quarter, a half and seven eighths of the warm-up, each time from the transitions since the
// previous one.
func (a *adaptation) estimates(done int) bool {
	for _, eighths := range []int{1, 2, 4, 7} {
		if done == eighths*a.warmup/8 && done-a.begun >= 5 {
			return true
		}
	}
	return false
}

// learn takes one step of dual averaging.
func (a *adaptation) learn(acceptance float64) {
	a.count++
	m := float64(a.count)
	a.error += (a.target - acceptance - a.error) / (m + stabilisation)
	next := a.logStep - math.Sqrt(m)/shrinkage*a.error
	a.average += math.Pow(m, -forgetting) * (next - a.average)
	a.step = math.Exp(next)
}

// variances returns the mean over the chains of each dimension's variance at some positions, shrunk
// a little towards their mean, as Stan does towards a constant.
func (t Trace) variances(from, to int) []float64 {
	variances := make([]float64, len(t.Positions[0][0]))
	for i := range variances {
		for c := range t.Positions {
			variances[i] += stat.Variance(t.series(c, i, from, to), nil) / float64(len(t.Positions))
		}
	}
	count, typical := float64((to-from)*len(t.Positions)), stat.Mean(variances, nil)
	for i, v := range variances {
		variances[i] = max((count*v+5*typical)/(count+5), math.SmallestNonzeroFloat32)
	}
	return variances
}

// series returns the values of a dimension at some positions of a chain.
func (t Trace) series(chain, dimension, from, to int) (values []float64) {
	for _, position := range t.Positions[chain][from:to] {
		values = append(values, position[dimension])
	}
	return values
}
