package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// lower returns the effects of the claim that a metric of one method is below another's at every
// level. Errors are compared in percentage points.
func lower(metric, method, other string) func(*Result) []Effect {
	unit, factor := unitOf(metric)
	return func(r *Result) []Effect {
		scaled := func(run RunResult) []float64 {
			values := make([]float64, score.LevelCount)
			for level, value := range run.Metric(metric) {
				values[level] = factor * value
			}
			return values
		}
		return pairedEffects(method+" - "+other, unit, BelowZero, r.series(method, scaled), r.series(other, scaled), levelNames())
	}
}

// unitOf returns the unit of differences of a metric, and the factor from its values to that unit.
func unitOf(metric string) (unit string, factor float64) {
	if metric == NLL {
		return "nats", 1
	}
	return "points", 100
}

// levelNames are "at level 0" to "at level 5".
func levelNames() (names []string) {
	for level := range score.LevelCount {
		names = append(names, fmt.Sprintf("at level %d", level))
	}
	return names
}
