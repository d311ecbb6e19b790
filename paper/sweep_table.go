package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// sweepRow is one curve in the table of sweeps.
type sweepRow struct {
	name   string // of the sweep and the split
	metric score.Metric
	sweepCurve
}

// sweepTable has a row for each sweep, split and curve, with a column for each gamma / K.
func sweepTable(r *Result, sweeps []sweep, splits ...split) (viz.Table, error) {
	rows, err := sweepRows(r, sweeps, splits...)
	if err != nil {
		return viz.Table{}, err
	}
	table := viz.Table{Header: []string{sweeps[0].measure().Heading(), "γ/K"}, Labels: 2}
	var grid []float64 // gamma / K of the columns
	for _, row := range rows {
		grid = append(grid, row.perComponent()...)
	}
	slices.Sort(grid)
	grid = slices.Compact(grid)
	for _, gamma := range grid {
		table.Header = append(table.Header, fmt.Sprintf("%g", gamma))
	}
	for _, row := range rows {
		table.Rows = append(table.Rows, append([]string{row.name, row.group}, row.cells(row.metric, grid)...))
	}
	return table, nil
}

// sweepRows returns the curves of all sweeps and splits. Those of another metric than the first
// sweep's name it.
func sweepRows(r *Result, sweeps []sweep, splits ...split) (rows []sweepRow, err error) {
	for _, s := range sweeps {
		metric := s.measure()
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return nil, err
			}
			name := s.named(on.name)
			if metric.Name != sweeps[0].measure().Name {
				name = metric.Heading() + ", " + name
			}
			for _, c := range curves {
				rows = append(rows, sweepRow{name, metric, c})
			}
		}
	}
	return rows, nil
}

// cells returns the means over the seeds at each gamma / K of a table, "" where the curve has none.
func (c sweepCurve) cells(metric score.Metric, grid []float64) []string {
	cells := make([]string, len(grid))
	for i, gamma := range c.perComponent() {
		summary := score.Summarise(c.values[i])
		cells[slices.Index(grid, gamma)] = viz.MeanStd(metric.Shown(summary.Mean), metric.Shown(summary.Std), summary.N, metric.Decimals())
	}
	return cells
}
