package viz

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// measurable returns the named metric and its curves as drawn, or the first error: of all curves,
// or from check.
func measurable(name string, curves []Series, check func(Series) error) (m score.Metric,
	all []Series, err error) {
	if m, err = score.MetricByName(name); err != nil {
		return m, nil, err
	}
	if all, err = checked(curves); err != nil {
		return m, nil, err
	}
	for _, s := range all {
		if err := cmp.Or(check(s), checkValues(m, s.owner(), s.Mean)); err != nil {
			return m, nil, err
		}
	}
	return m, all, nil
}

// checkValues returns an error for a value in percent where a fraction is meant, and for a negative
// one: only a registered metric may be negative.
func checkValues(m score.Metric, owner string, values []float64) error {
	limits := zeroOrUp
	if m.Unit == "%" {
		limits.high = 1
	}
	if m.Of != nil {
		limits.low = numbers.low
	}
	return within(owner, m.Name, values, limits)
}

// shown returns the values in the unit of the metric's label; nil stays nil.
func shown(m score.Metric, values []float64) []float64 {
	result := append([]float64(nil), values...)
	for i := range result {
		result[i] = m.Shown(result[i])
	}
	return result
}

// leastSpan returns the least range of an axis, in the unit of the label: smaller differences are
// noise, which a whole axis would show as an effect.
func leastSpan(m score.Metric) float64 {
	switch m.Unit {
	case "nats":
		return leastNats
	case "%":
		return 2
	}
	return 0.02
}

const (
	leastNats  = 0.1 // range of an axis of likelihoods
	leastSigma = 0.1 // range of an axis of standard deviations, as a part of them
)

// addGuess draws a dotted line at the value of guessing among the curves' classes, if the axis
// holds it.
func addGuess(c *chart, m score.Metric, classes int) {
	value, known := m.Guess(classes)
	if value = m.Shown(value); !known || value < c.y.low || value > c.y.high {
		return
	}
	c.curves = append([]curve{referenceLine(c.x, value)}, c.curves...)
	c.entries = append(c.entries, entry{name: "guessing", style: referenceStyle})
}

func referenceLine(x span, value float64) curve {
	return curve{x: []float64{x.low, x.high}, y: []float64{value, value}, style: referenceStyle}
}

// referenceStyle is the look of lines to compare with.
var referenceStyle = style{colour: softInk, width: paperWidth, dashes: dottedDashes}

// paired returns an error unless an owner has as many of one thing as of another.
func paired(owner, one string, count int, other string, others int) error {
	if count == others {
		return nil
	}
	return fmt.Errorf("viz: %s has %d %s and %d %s: give as many of both", owner, count, one,
		others, other)
}

// optional is paired for things of which nil means none.
func optional[T any](owner, one string, count int, other string, others []T) error {
	if others == nil {
		return nil
	}
	return paired(owner, one, count, other, len(others))
}

// Limits of values.
var (
	numbers   = span{math.Inf(-1), math.Inf(1)}
	positives = span{math.SmallestNonzeroFloat64, math.Inf(1)}
	zeroOrUp  = span{0, math.Inf(1)}
	shares    = span{0, 1}
)

// within returns an error for the first of an owner's values that isn't a finite number within
// limits.
func within(owner, what string, values []float64, limits span) error {
	for i, value := range values {
		if !(value >= limits.low && value <= limits.high) || math.IsInf(value, 0) {
			return fmt.Errorf("viz: %s has the %s %g at place %d: give %s", owner, what, value, i,
				limits)
		}
	}
	return nil
}

// checkPlaces returns an error unless the places of a curve's values on an axis match the values in
// number, rise and are within limits.
func checkPlaces(owner, what string, places []float64, count int, limits span) error {
	for i := 1; i < len(places); i++ {
		if places[i] <= places[i-1] {
			return fmt.Errorf("viz: %s has the %s %g after %g: sort the values, and give each "+
				"place once", owner, what, places[i], places[i-1])
		}
	}
	return cmp.Or(paired(owner, "values", count, "of "+what, len(places)),
		within(owner, what, places, limits))
}

// String names the limits as a message gives them.
func (s span) String() string {
	switch {
	case s == numbers:
		return "a number, or leave the run out"
	case math.IsInf(s.low, -1):
		return fmt.Sprintf("%g or less", s.high)
	case s.high > 1e300 && s.low == positives.low:
		return "one above 0"
	case s.high > 1e300:
		return fmt.Sprintf("%g or more", s.low)
	}
	return fmt.Sprintf("%.6g to %.6g", s.low, s.high)
}
