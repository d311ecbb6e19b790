package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// sweep is a family of methods that differ in gamma: one curve for each group, such as a number of
// components, and one point for each gamma.
type sweep struct {
	group func(nbbnn.Config) string // name of the curve of a configuration, such as "K = 4"
	only  func(nbbnn.Config) bool   // which configurations belong to it; nil means all
	title string                    // what they share, such as "out"; "" if there is no other sweep

	metric string // that is drawn and compared; "" means NLL

	// published returns the paper's curves that belong to runs with a configuration; nil for a
	// sweep without any.
	published func(nbbnn.Config) []publishedSweep
}

// in returns the sweep of another metric, of which the paper has published no curves.
func (s sweep) in(metric string) sweep {
	s.metric, s.published = metric, nil
	return s
}

// measure returns the metric of the sweep.
func (s sweep) measure() score.Metric {
	metric, err := score.MetricByName(cmp.Or(s.metric, NLL))
	if err != nil {
		panic(err) // only figures choose it
	}
	return metric
}

// named returns the name of a curve or a panel with the sweep's title.
func (s sweep) named(name string) string {
	if s.title == "" {
		return name
	}
	return s.title + ", " + name
}

// split is a set of images on which a sweep is drawn.
type split struct {
	name string
	of   func(score.Metric, RunResult) (float64, error)
}

// The splits of the paper's Figure 6. Mild corruption is the mean over the levels 1 to 3, severe
// corruption that over 4 and 5 (METHOD.md section 5).
var (
	validationSplit = split{"validation", onPart(nbbnn.ValidationPart)}
	testSplit       = split{"test", onLevels(func(levels [score.LevelCount]float64) float64 { return levels[0] })}
	mildSplit       = split{"mild", onLevels(score.Mild)}
	severeSplit     = split{"severe", onLevels(score.Severe)}
)

// onLevels returns a mean of a metric over the levels.
func onLevels(mean func([score.LevelCount]float64) float64) func(score.Metric, RunResult) (float64, error) {
	return func(metric score.Metric, run RunResult) (float64, error) {
		levels, err := metric.Levels(run.Cells)
		return mean(levels), err
	}
}

// onPart returns a metric on a part of the training images.
func onPart(part nbbnn.Part) func(score.Metric, RunResult) (float64, error) {
	return func(metric score.Metric, run RunResult) (float64, error) {
		cell, found := run.Parts[part]
		if !found {
			return 0, fmt.Errorf("paper: %s wasn't tested on the part %q: Figure.Evaluate does it", run.Name(), part)
		}
		value := metric.Value(cell)
		if math.IsNaN(value) {
			return 0, fmt.Errorf("paper: %s has no %s on the part %q: `nbbnn evaluate` with the same settings adds it", run.Name(), metric.Name, part)
		}
		return value, nil
	}
}

// sweepCurve is one group of a sweep on one split.
type sweepCurve struct {
	group      string
	config     nbbnn.Config // of its first point, filled
	components int
	gamma      []float64   // rising
	values     [][]float64 // of the metric, [gammas][seeds]
}

// curves returns the sweep on a split, a curve for each group in the order of the methods.
func (s sweep) curves(r *Result, on split) ([]sweepCurve, error) {
	var curves []sweepCurve
	for _, method := range r.Setup.Methods {
		config := r.Setup.config(method, 0).WithDefaults()
		if s.only != nil && !s.only(config) {
			continue
		}
		at := slices.IndexFunc(curves, func(c sweepCurve) bool { return c.group == s.group(config) })
		if at < 0 {
			at = len(curves)
			curves = append(curves, sweepCurve{group: s.group(config), config: config, components: config.Posterior.Components})
		}
		var values []float64
		for _, run := range r.of(method.Name) {
			value, err := on.of(s.measure(), run)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		place, _ := slices.BinarySearch(curves[at].gamma, config.Objective.Gamma)
		curves[at].gamma = slices.Insert(curves[at].gamma, place, config.Objective.Gamma)
		curves[at].values = slices.Insert(curves[at].values, place, values)
	}
	return curves, nil
}

// bestOfOthers returns, for each seed, the place of the gamma with the least mean over the other
// seeds, on the images of the curve. The least of several noisy values is too low on average.
// Choosing gamma without the seed keeps that out of the seed's difference. A single seed chooses
// for itself, and decides nothing.
func (c sweepCurve) bestOfOthers() []int {
	seeds := len(c.values[0])
	best := make([]int, seeds)
	for seed := range seeds {
		means := make([]float64, len(c.gamma))
		for i, values := range c.values {
			others := slices.Clone(values)
			if seeds > 1 {
				others = slices.Delete(others, seed, seed+1)
			}
			means[i] = score.Summarise(others).Mean
		}
		best[seed] = slices.Index(means, slices.Min(means))
	}
	return best
}

// startsAtZero reports whether the curve has gamma 0 and a larger one to compare it with.
func (c sweepCurve) startsAtZero() bool { return len(c.gamma) > 1 && c.gamma[0] == 0 }

// positive returns the part of a curve that starts at zero with gamma above 0.
func (c sweepCurve) positive() sweepCurve { return c.between(1, len(c.gamma)) }

// between returns the part of the curve from one place up to another, which isn't in it.
func (c sweepCurve) between(from, to int) sweepCurve {
	c.gamma, c.values = c.gamma[from:to], c.values[from:to]
	return c
}

// atBest returns each seed's value at the gamma that the other seeds choose.
func (c sweepCurve) atBest() []float64 {
	values := make([]float64, len(c.values[0]))
	for seed, best := range c.bestOfOthers() {
		values[seed] = c.values[best][seed]
	}
	return values
}

// argmin returns gamma / K of each seed's own least value.
func (c sweepCurve) argmin() []float64 {
	gammas := make([]float64, len(c.values[0]))
	for seed := range gammas {
		values := seedOf(c.values, seed)
		gammas[seed] = c.gamma[slices.Index(values, slices.Min(values))] / float64(max(1, c.components))
	}
	return gammas
}

// rounding returns the variance that the grid of gamma / K adds to argmin, by its widest step.
func (c sweepCurve) rounding() float64 {
	grid, widest := c.perComponent(), 0.0
	for i := 1; i < len(grid); i++ {
		widest = max(widest, grid[i]-grid[i-1])
	}
	return roundingVariance(widest)
}

// seedOf returns one seed's values at all points, from [points][seeds].
func seedOf(values [][]float64, seed int) []float64 {
	result := make([]float64, len(values))
	for point := range values {
		result[point] = values[point][seed]
	}
	return result
}

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

// withControls returns the sweep, and below it the same in temperature-scaled NLL, if it is
// measured, and in error: what is left of an effect on the likelihood that a single temperature
// could have.
func (s sweep) withControls(r *Result) (rows []sweep) {
	for _, metric := range r.measured(NLL, ScaledNLL, Error) {
		row := s.in(metric)
		if metric == NLL {
			row = s
		}
		rows = append(rows, row)
	}
	return rows
}

// shareRange gives panels the least vertical range that holds those of all.
func shareRange(panels ...*viz.Figure) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, panel := range panels {
		axis := panel.Plots()[0].Y
		low, high = min(low, axis.Min), max(high, axis.Max)
	}
	for _, panel := range panels {
		axis := &panel.Plots()[0].Y
		axis.Min, axis.Max = low, high
	}
}

// panel draws the sweep on one split.
func (s sweep) panel(r *Result, on split) (*viz.Figure, error) {
	curves, err := s.curves(r, on)
	if err != nil {
		return nil, err
	}
	drawn := make([]viz.GammaCurve, len(curves))
	for i, c := range curves {
		drawn[i] = viz.GammaCurve{Name: c.group, Gamma: c.gamma, Components: c.components, Seeds: len(c.values[0])}
		for _, values := range c.values {
			summary := score.Summarise(values)
			drawn[i].Mean, drawn[i].Std = append(drawn[i].Mean, summary.Mean), append(drawn[i].Std, summary.Std)
		}
		for seed := range c.values[0] {
			drawn[i].Each = append(drawn[i].Each, seedOf(c.values, seed))
		}
		if s.published != nil {
			drawn[i].Paper = publishedAt(s.published(c.config), on.name, c)
		}
	}
	panel, err := viz.GammaCurves(s.measure().Name, drawn)
	if err != nil {
		return nil, err
	}
	return panel.Titled(s.named(on.name)), nil
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

// sweepTable has a row for each sweep, split and curve, with a column for each gamma / K.
func sweepTable(r *Result, sweeps []sweep, splits ...split) (viz.Table, error) {
	table := viz.Table{Header: []string{sweeps[0].measure().Heading(), "γ/K"}, Labels: 2}
	var grid []float64 // gamma / K of the columns
	for _, s := range sweeps {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return viz.Table{}, err
			}
			for _, c := range curves {
				grid = append(grid, c.perComponent()...)
			}
		}
	}
	slices.Sort(grid)
	grid = slices.Compact(grid)
	for _, gamma := range grid {
		table.Header = append(table.Header, fmt.Sprintf("%g", gamma))
	}
	for _, s := range sweeps {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return viz.Table{}, err
			}
			for _, c := range curves {
				name := s.named(on.name)
				if s.measure().Name != sweeps[0].measure().Name {
					name = s.measure().Heading() + ", " + name
				}
				table.Rows = append(table.Rows, append([]string{name, c.group}, c.cells(s.measure(), grid)...))
			}
		}
	}
	return table, nil
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

// perComponent returns the gammas divided by the number of components.
func (c sweepCurve) perComponent() []float64 {
	values := slices.Clone(c.gamma)
	for i := range values {
		values[i] /= float64(max(1, c.components))
	}
	return values
}
