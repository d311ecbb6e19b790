package paper

import (
	"math"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/viz"
)

// drawSweeps returns a row of panels for each sweep, a panel for each split, with one legend for
// all. The panels of one metric and split have the same vertical range, so that the sweeps can be
// compared.
func drawSweeps(r *Result, sweeps []sweep, splits ...split) (*viz.Figure, error) {
	rows := make([][]*viz.Figure, len(sweeps))
	for i, s := range sweeps {
		for _, on := range splits {
			panel, err := s.panel(r, on)
			if err != nil {
				return nil, err
			}
			rows[i] = append(rows[i], panel)
		}
	}
	for column := range splits {
		alike := map[string][]*viz.Figure{} // by metric
		for i, row := range rows {
			name := sweeps[i].measure().Name
			alike[name] = append(alike[name], row[column])
		}
		for _, panels := range alike {
			shareRange(panels...)
		}
	}
	return viz.SharedGrid(rows...)
}

// shareRange gives panels the least vertical range that holds those of all.
func shareRange(panels ...*viz.Figure) {
	var plots []*plot.Plot
	for _, panel := range panels {
		plots = append(plots, panel.Plots()[0])
	}
	sharePlotRange(plots)
}

// sharePlotRange gives plots the least vertical range that holds those of all.
func sharePlotRange(plots []*plot.Plot) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range plots {
		low, high = min(low, p.Y.Min), max(high, p.Y.Max)
	}
	for _, p := range plots {
		p.Y.Min, p.Y.Max = low, high
	}
}

// panel draws the sweep on one split.
func (s sweep) panel(r *Result, on split) (*viz.Figure, error) {
	curves, err := s.drawn(r, on)
	if err != nil {
		return nil, err
	}
	panel, err := viz.GammaCurves(s.measure().Name, curves)
	if err != nil {
		return nil, err
	}
	return panel.Titled(s.named(on.name)), nil
}

// drawn returns the curves of the sweep on one split as pictures take them.
func (s sweep) drawn(r *Result, on split) ([]viz.GammaCurve, error) {
	curves, err := s.curves(r, on)
	if err != nil {
		return nil, err
	}
	drawn := make([]viz.GammaCurve, len(curves))
	for i, c := range curves {
		drawn[i] = viz.GammaCurve{Name: c.group, X: c.gamma, Components: c.components, Seeds: len(c.values[0]), Classes: r.classes()}
		drawn[i].Mean, drawn[i].Std = c.meansAndStds()
		for seed := range c.values[0] {
			drawn[i].Each = append(drawn[i].Each, seedOf(c.values, seed))
		}
		if s.published != nil {
			drawn[i].Paper = publishedAt(s.published(c.config), on.name, c)
		}
	}
	return drawn, nil
}

// publishedAt returns the paper's curve at the gammas of ours; nil if one of them wasn't published.
func publishedAt(published []publishedSweep, split string, c sweepCurve) (nll []float64) {
	for _, p := range published {
		if p.split != split || p.k != c.components {
			continue
		}
		for _, gamma := range c.gamma {
			place := gamma / float64(c.components) / publishedStep
			if place != float64(int(place)) || int(place) >= len(p.nll) {
				return nil
			}
			nll = append(nll, p.nll[int(place)])
		}
	}
	return nll
}
