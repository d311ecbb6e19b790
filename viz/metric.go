package viz

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// metric is how a quantity is drawn.
type metric struct {
	name    string
	label   string // of the vertical axis, with the unit
	percent bool   // given as a fraction, drawn in percent
	higher  bool   // is better
	noBest  bool   // neither the least nor the greatest is better
}

// metricByName finds a metric of package score.
func metricByName(name string) (metric, error) {
	m, err := score.MetricByName(name)
	if err != nil {
		return metric{}, fmt.Errorf("viz: %w", err)
	}
	return metric{name: m.Name, label: m.Label(), percent: m.IsFraction(), higher: m.HigherIsBetter, noBest: !m.HasBest()}, nil
}

// check returns an error for a mean that the metric can't have.
func (m metric) check(methods []series) error {
	for _, s := range methods {
		if err := m.checkValues(fmt.Sprintf("curve %q", s.name), s.mean); err != nil {
			return err
		}
	}
	return nil
}

// checkValues returns an error for a value in percent where a fraction is meant, and for a negative
// one: no metric has those.
func (m metric) checkValues(owner string, values []float64) error {
	for i, value := range values {
		switch {
		case m.percent && value > 1:
			return fmt.Errorf("viz: %s has the %s %g at place %d: give fractions, not percent", owner, m.name, value, i)
		case value < 0:
			return fmt.Errorf("viz: %s has the %s %g at place %d: give 0 or more", owner, m.name, value, i)
		}
	}
	return nil
}

// cellDecimals is the number of decimals where there's little room.
func (m metric) cellDecimals() int {
	if m.percent {
		return 0
	}
	return 2
}

// tableDecimals is the number of decimals in a table.
func (m metric) tableDecimals() int {
	if m.percent {
		return 1
	}
	return 3
}

// inUnits returns a copy of the values in the unit of the label; nil stays nil.
func (m metric) inUnits(values []float64) []float64 {
	result := append([]float64(nil), values...)
	for i := range result {
		if m.percent {
			result[i] *= 100
		}
	}
	return result
}
