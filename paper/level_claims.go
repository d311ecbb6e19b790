package paper

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// lower returns the effects of the claim that a metric of one method is below another's at every
// level. Fractions are compared in percentage points.
func lower(name, method, other string) func(*Result) []Effect {
	return func(r *Result) []Effect {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil
		}
		var series [2][][]float64
		for i, m := range []string{method, other} {
			if series[i], err = r.levels(m, name); err != nil {
				return nil
			}
			for _, levels := range series[i] {
				for level := range levels {
					levels[level] = metric.Shown(levels[level])
				}
			}
		}
		return pairedEffects(method+" - "+other, unitOf(metric), BelowZero, series[0], series[1], levelNames())
	}
}

// unitOf returns the unit of differences of a metric.
func unitOf(metric score.Metric) string {
	if metric.IsFraction() {
		return "points"
	}
	return cmp.Or(metric.Unit, metric.Name)
}

// levelNames are "at level 0" to "at level 5".
func levelNames() (names []string) {
	for level := range score.LevelCount {
		names = append(names, fmt.Sprintf("at level %d", level))
	}
	return names
}
