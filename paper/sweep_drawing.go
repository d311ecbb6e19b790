package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// sweepTable has a row for each sweep, split and curve, with a column for each gamma / K. Rows of
// another metric than the first sweep's name it.
func sweepTable(r *Result, sweeps []sweep, splits []split) viz.Table {
	first := metricOf(sweeps[0].metric)
	table := viz.Table{Header: []string{first.Heading(), "γ/K"}, Labels: 2}
	var grid []float64 // gamma / K of the columns
	for _, s := range sweeps {
		for _, c := range s.groups(r.row(s.row)) {
			grid = append(grid, c.perComponent()...)
		}
	}
	slices.Sort(grid)
	grid = slices.Compact(grid)
	for _, gamma := range grid {
		table.Header = append(table.Header, fmt.Sprintf("%g", gamma))
	}
	for _, s := range sweeps {
		metric := metricOf(s.metric)
		for _, on := range splits {
			name := s.named(on.name)
			if metric.Name != first.Name {
				name = metric.Heading() + ", " + name
			}
			for _, c := range s.curves(r, on) {
				table.Rows = append(table.Rows, append([]string{name, c.group}, c.cells(metric, grid)...))
			}
		}
	}
	return table
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

// drawSweeps returns a row of panels for each sweep, a panel for each split, with one legend for
// all. The panels of one metric and split have the same vertical range, so that the sweeps can be
// compared.
func drawSweeps(r *Result, sweeps []sweep, splits ...split) (*viz.Figure, error) {
	var b board
	for _, s := range sweeps {
		b.row()
		for _, on := range splits {
			b.add(viz.GammaCurves(metricOf(s.metric).Name, s.drawn(r, on)))
			b.title(s.named(on.name))
		}
	}
	for column := range splits {
		alike := map[string][]*viz.Figure{} // by metric
		for i, row := range b.rows {
			if b.err == nil {
				alike[sweeps[i].metric] = append(alike[sweeps[i].metric], row[column])
			}
		}
		for _, panels := range alike {
			shareRange(panels...)
		}
	}
	return b.arranged(viz.SharedGrid)
}

// drawn returns the curves of the sweep on one split as pictures take them.
func (s sweep) drawn(r *Result, on split) (drawn []viz.GammaCurve) {
	for _, c := range s.curves(r, on) {
		curve := c.drawn(c.group, r.classes())
		curve.Paper = publishedAt(s.paper(c)[on.name], c.gamma)
		drawn = append(drawn, curve)
	}
	return drawn
}

// publishedAt returns the paper's curve at our gammas; nil if one of them wasn't published.
func publishedAt(theirs sweepCurve, gammas []float64) (nll []float64) {
	for _, gamma := range gammas {
		place := slices.Index(theirs.gamma, gamma)
		if place < 0 {
			return nil
		}
		nll = append(nll, theirs.values[place][0])
	}
	return nll
}
