package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// RiskCurve is the error of one method on the images that it answers when it may leave those out
// that it is least sure of.
type RiskCurve struct {
	Name     string    // of the method; it decides the colour, unless Colour does
	Coverage []float64 // [points], share of the images that are answered, rising, above 0 up to 1
	Risk     []float64 // [points], share of those that are wrong, 0 to 1, mean over seeds
	Std      []float64 // [points], standard deviation over seeds, drawn as a band from five seeds on; nil draws none
	Seeds    int       // number of runs behind Risk and Std; 0 means not known

	Test   string // what was measured, for the caption; "" leaves it out
	Colour string // such as "#0067a8"; "" means the colour of the name
}

// RiskCoverage draws the error among the answered images against their share, from 5 % on: the
// error of fewer images is chance. A method that knows when it errs has a curve that falls far to
// the left. The curves may have different coverages; long ones are drawn at a few hundred of their
// points.
func RiskCoverage(curves []RiskCurve) (*Figure, error) {
	methods := make([]Series, len(curves))
	for i, c := range curves {
		methods[i] = c.series()
	}
	if _, err := copied(methods); err != nil {
		return nil, err
	}
	places := make([][]float64, len(curves))
	for i, c := range curves {
		if err := c.check(); err != nil {
			return nil, err
		}
		thin := c.from(leastCoverage).thinned(riskPoints)
		methods[i], places[i] = thin.series(), thin.Coverage
	}
	methods, err := copied(methods)
	return riskChart(methods, places).figure(), err
}

// series returns the curve without its places.
func (c RiskCurve) series() Series {
	return Series{Name: c.Name, Mean: c.Risk, Std: c.Std, Seeds: c.Seeds, Test: c.Test, Colour: c.Colour}
}

// check returns an error for the first value that isn't a share.
func (c RiskCurve) check() error {
	for i, risk := range c.Risk {
		if risk < 0 || risk > 1 {
			return fmt.Errorf("viz: curve %q has the risk %g at place %d: give fractions, 0 to 1", c.Name, risk, i)
		}
	}
	return checkPlaces(c.Name, "coverage", c.Coverage, len(c.Risk), span{math.SmallestNonzeroFloat64, 1})
}

// leastCoverage is the coverage at which the curves begin.
const leastCoverage = 0.05

// from returns the curve from a coverage on; one that has no point there stays as it is.
func (c RiskCurve) from(least float64) RiskCurve {
	first, _ := slices.BinarySearch(c.Coverage, least)
	if first == len(c.Coverage) {
		return c
	}
	c.Coverage, c.Risk = c.Coverage[first:], c.Risk[first:]
	if c.Std != nil {
		c.Std = c.Std[first:]
	}
	return c
}

// riskPoints is the largest number of points of a drawn curve.
const riskPoints = 400

// thinned returns the curve with at most that number of points, evenly spread, the last one among
// them.
func (c RiskCurve) thinned(most int) RiskCurve {
	count := len(c.Risk)
	if count <= most {
		return c
	}
	thin := c
	thin.Coverage, thin.Risk, thin.Std = nil, nil, nil
	for k := range most {
		at := (k+1)*count/most - 1
		thin.Coverage, thin.Risk = append(thin.Coverage, c.Coverage[at]), append(thin.Risk, c.Risk[at])
		if c.Std != nil {
			thin.Std = append(thin.Std, c.Std[at])
		}
	}
	return thin
}

// riskChart places the curves, both axes in percent.
func riskChart(methods []Series, places [][]float64) chart {
	looks := stylesOf(methods)
	c := chart{xLabel: "coverage (% of the images answered)", yLabel: "error of the answers (%)", x: span{0, 102}, caption: bandCaption(testOf(methods), methods)}
	for i, s := range methods {
		look := looks[i]
		look.marker = nil
		one := s.curve(percent, shown(percent, places[i]), look)
		one.spread = band
		c.add(one, s.Name)
	}
	c.y = reach(c.curves).include(0).fromZero(0.05)
	c.xTicks, c.yTicks = ticker{6, false}, ticker{6, false}
	return c
}

// percent is the unit of fractions.
var percent = score.Metric{Unit: "%"}
