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
	if err := c.Check(); err != nil {
		return nil, err
	}
	chosen, err := metricsOf(metrics, "NLL", "Error")
	if err != nil {
		return nil, err
	}
	var order []int // of the methods
	figures := make([]*viz.Figure, len(chosen))
	for i, metric := range chosen {
		rows, err := dotRows(c, metric)
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

func dotRows(c score.Comparison, metric score.Metric) ([]viz.DotRow, error) {
	rows := make([]viz.DotRow, len(c.Methods))
	for i, method := range c.Methods {
		rows[i] = viz.DotRow{
			Name: method.Name, Colour: method.Colour, Test: test(c), Seeds: len(method.Cells), Each: make([][]float64, len(method.Cells)),
		}
	}
	for _, split := range shifts {
		values, err := split.of(c, metric)
		if err != nil {
			return nil, err
		}
		for i, seeds := range values {
			s := score.Summarise(seeds)
			rows[i].Mean, rows[i].Std = append(rows[i].Mean, s.Mean), append(rows[i].Std, s.Std)
			for k, value := range seeds {
				rows[i].Each[k] = append(rows[i].Each[k], value)
			}
		}
	}
	return rows, nil
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
