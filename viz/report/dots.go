package report

import (
	"cmp"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Dots draws a row for each method with metrics on clean images, under mild and under severe
// corruptions: NLL and error if none are named. The rows are ordered by the mean of the first metric
// under severe corruptions, the best at the top if it has one. With a baseline its means are lines.
func Dots(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	chosen, err := metricsOf(metrics, "NLL", "Error")
	if err != nil {
		return nil, err
	}
	var order []int // of the methods
	figures := make([]*viz.Figure, len(chosen))
	for i, metric := range chosen {
		rows, err := seriesOf(c, metric, shifts...)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			order = bestFirst(rows, metric)
		}
		plot := viz.DotPlot{Metric: metric.Name, Rows: rows, Order: order, Baseline: c.Baseline}
		for _, split := range shifts {
			plot.Panels = append(plot.Panels, split.name)
		}
		if figures[i], err = viz.Dots(plot); err != nil {
			return nil, err
		}
	}
	return viz.Column(figures...)
}

// bestFirst returns the places of the rows, ordered by their last mean; nil, as they are, for a
// metric without a best value.
func bestFirst(rows []viz.DotRow, metric score.Metric) []int {
	if !metric.HasBest() {
		return nil
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		last := len(shifts) - 1
		if metric.HigherIsBetter {
			a, b = b, a
		}
		return cmp.Compare(rows[a].Mean[last], rows[b].Mean[last])
	})
	return order
}
