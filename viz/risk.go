package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// RiskCoverage draws the error among the answered images against their share, from 5 % on: the
// error of fewer images is chance. A method that knows when it errs has a curve that falls far to
// the left. The curves may have different coverages; long ones are drawn at a few hundred of their
// points.
func RiskCoverage(curves []RiskCurve) (*Figure, error) {
	methods, err := checked(curves)
	if err != nil {
		return nil, err
	}
	for i, s := range methods {
		if err := s.checkRisk(); err != nil {
			return nil, err
		}
		methods[i] = s.answered()
	}
	return riskChart(methods).figure(), nil
}

// checkRisk returns an error for the first value that isn't a share.
func (s Series) checkRisk() error {
	for i, risk := range s.Mean {
		if risk < 0 || risk > 1 {
			return fmt.Errorf("viz: curve %q has the risk %g at place %d: give fractions, 0 to 1", s.Name, risk, i)
		}
	}
	return checkPlaces(s.Name, "coverage", s.X, len(s.Mean), span{math.SmallestNonzeroFloat64, 1})
}

// leastCoverage is the coverage at which the curves begin.
const leastCoverage = 0.05

// riskPoints is the largest number of points of a drawn curve.
const riskPoints = 400

// answered returns the curve from leastCoverage on, or as it is if it has no point there, at riskPoints
// of its places at most, evenly spread, the last one among them.
func (s Series) answered() Series {
	first, _ := slices.BinarySearch(s.X, leastCoverage)
	if first == len(s.X) {
		first = 0
	}
	count := len(s.X) - first
	drawn := func(values []float64) []float64 {
		some := make([]float64, min(count, riskPoints))
		for k := range some {
			some[k] = values[first+(k+1)*count/len(some)-1]
		}
		return some
	}
	s.X, s.Mean, s.Each = drawn(s.X), drawn(s.Mean), slices.Clone(s.Each)
	if s.Std != nil {
		s.Std = drawn(s.Std)
	}
	for seed, values := range s.Each {
		s.Each[seed] = drawn(values)
	}
	return s
}

// riskChart places the curves, both axes in percent.
func riskChart(methods []Series) chart {
	looks := stylesOf(methods)
	c := chart{xLabel: "coverage (% of the images answered)", yLabel: "error of the answers (%)", x: span{0, 102}, caption: measured(testOf(methods), "bands", methods)}
	for i, s := range methods {
		look := looks[i]
		look.marker = nil
		one := s.curve(percent, shown(percent, s.X), look)
		one.spread = band
		c.add(one, s.Name)
	}
	c.y = reach(c.curves).include(0).fromZero(0.05)
	return c
}

// percent is the unit of fractions.
var percent = score.Metric{Unit: "%"}
