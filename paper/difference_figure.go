package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/viz"
)

// differenceFigure draws the differences of a metric between methods at each corruption level, seed by
// seed, of the pairs that have the same seeds. It is nil if none has.
func differenceFigure(r *Result, name string, pairs ...comparison) (*viz.Figure, error) {
	metric, of := metricOf(name), pairs[0].first+" "
	if slices.ContainsFunc(pairs, func(pair comparison) bool { return pair.first != pairs[0].first }) {
		of = ""
	}
	quantity, _, _ := strings.Cut(metric.Label(), " (")
	p := viz.LevelDifferencePlot{
		Quantity: fmt.Sprintf("difference in %s (%s)", quantity, unitOf(metric)), Above: of + "worse", Below: of + "better",
	}
	for _, pair := range pairs {
		if runs := r.of(pair.first); len(runs) > 0 && sameSeeds(runs, r.of(pair.second)) {
			p.Series = append(p.Series, levelDifference(r, name, pair))
		}
	}
	if len(p.Series) == 0 {
		return nil, nil
	}
	return viz.LevelDifferences(p)
}

// levelDifference returns the differences between two methods at the levels. The second is named by
// what it has of its own: "M32 − fixed σ" compares M32 with "M32 fixed σ".
func levelDifference(r *Result, metric string, pair comparison) viz.LevelDifference {
	family, _, _ := strings.Cut(pair.first, ", ")
	other := strings.TrimPrefix(strings.TrimPrefix(pair.second, pair.first+" "), family+", ")
	series := viz.LevelDifference{Name: pair.first + " − " + other}
	for _, e := range lower(metric, pair.first, pair.second)(r) {
		series.Levels = append(series.Levels, e.drawn())
	}
	return series
}
