package paper

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/viz"
)

// differenceFigure draws what a method changes in a metric at each corruption level, compared seed
// by seed with each reference that has the same seeds. It is nil if none has.
func differenceFigure(r *Result, name, method string, references ...string) (*viz.Figure, error) {
	metric := metricOf(name)
	quantity, _, _ := strings.Cut(metric.Label(), " (")
	p := viz.LevelDifferencePlot{
		Quantity: fmt.Sprintf("difference in %s (%s)", quantity, unitOf(metric)),
		Above:    method + " worse", Below: method + " better",
	}
	if metric.HigherIsBetter {
		p.Above, p.Below = p.Below, p.Above
	}
	for _, reference := range references {
		if runs := r.of(method); len(runs) == 0 || !sameSeeds(runs, r.of(reference)) {
			continue
		}
		p.Series = append(p.Series, levelDifference(r, name, method, reference))
	}
	if len(p.Series) == 0 {
		return nil, nil
	}
	return viz.LevelDifferences(p)
}

// levelDifference returns the differences between two methods at the levels. The name of a control
// says what it controls: "M32 − fixed σ" compares M32 with "M32 fixed σ".
func levelDifference(r *Result, metric, method, reference string) viz.LevelDifference {
	series := viz.LevelDifference{Name: method + " − " + strings.TrimPrefix(reference, method+" ")}
	for _, e := range lower(metric, method, reference)(r) {
		series.Levels = append(series.Levels, e.drawn())
	}
	return series
}
