package paper

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// sweepCurve is a family of methods along a number, for example gamma, with their values of a
// metric.
type sweepCurve struct {
	group   string       // its name, for example "K = 4"
	config  nbbnn.Config // of its first method, filled; zero for a number that isn't gamma
	axis    string       // name of the number; "" means gamma
	methods []string     // at each number
	gamma   []float64    // the numbers, rising
	values  [][]float64  // [numbers][seeds]
}

// newSweepCurve returns a curve without values; name gives the method of each number.
func newSweepCurve(axis string, numbers []float64, name func(float64) string) sweepCurve {
	c := sweepCurve{axis: axis, gamma: numbers}
	for _, number := range numbers {
		c.methods = append(c.methods, name(number))
	}
	return c
}

// on returns the curve of a metric on a split.
func (c sweepCurve) on(r *Result, metric string, on split) sweepCurve {
	c.values = nil
	for _, method := range c.methods {
		c.values = append(c.values, r.on(on, method, metric))
	}
	return c
}

// perComponent returns the gammas divided by the number of components.
func (c sweepCurve) perComponent() []float64 {
	values := slices.Clone(c.gamma)
	for i := range values {
		values[i] /= float64(max(1, c.config.Posterior.Components))
	}
	return values
}

// bestOfOthers returns, for each seed, the place of the gamma with the least mean over the other
// seeds, on the images of the curve, among the allowed places; nil allows all. The least of several
// noisy values is too low on average. Choosing gamma without the seed keeps that out of the seed's
// difference. A single seed chooses for itself, and decides nothing. Among gammas of which one
// isn't measured it chooses none, -1.
func (c sweepCurve) bestOfOthers(allowed func(place, seed int) bool) []int {
	best := make([]int, len(c.values[0]))
	for seed := range best {
		least := math.Inf(1)
		for place, values := range c.values {
			mean := meanWithout(values, seed)
			switch {
			case allowed != nil && !allowed(place, seed):
			case math.IsNaN(mean):
				best[seed], least = -1, math.Inf(-1)
			case mean < least:
				best[seed], least = place, mean
			}
		}
	}
	return best
}

// meanWithout returns the mean of the values without a seed's, or a single value itself.
func meanWithout(values []float64, seed int) float64 {
	if len(values) > 1 {
		values = slices.Delete(slices.Clone(values), seed, seed+1)
	}
	return score.Summarise(values).Mean
}

// at returns each seed's value at its place, NaN at none.
func (c sweepCurve) at(places []int) []float64 {
	values := make([]float64, len(places))
	for seed, place := range places {
		if values[seed] = math.NaN(); place >= 0 {
			values[seed] = c.values[place][seed]
		}
	}
	return values
}

// nearest returns the place of the gamma that is nearest to another one.
func (c sweepCurve) nearest(gamma float64) (nearest int) {
	for place := range c.gamma {
		if math.Abs(c.gamma[place]-gamma) < math.Abs(c.gamma[nearest]-gamma) {
			nearest = place
		}
	}
	return nearest
}

func (c sweepCurve) isLast(place int) bool { return place == len(c.gamma)-1 }

// startsAtZero reports whether the curve has gamma 0 and a larger one to compare it with.
func (c sweepCurve) startsAtZero() bool { return len(c.gamma) > 1 && c.gamma[0] == 0 }

func (c sweepCurve) means() (means []float64) {
	for _, values := range c.values {
		means = append(means, score.Summarise(values).Mean)
	}
	return means
}

// chosen returns each seed's metric under corruption at the number that has the least negative
// log-likelihood on validation images of the other seeds.
func (c sweepCurve) chosen(r *Result, metric string) []float64 {
	return c.on(r, metric, corruptedSplit).at(c.on(r, NLL, validationSplit).bestOfOthers(nil))
}

// best returns the method with the least mean on validation images of all seeds, for pictures.
func (c sweepCurve) best(r *Result) string {
	means := c.on(r, NLL, validationSplit).means()
	return c.methods[slices.Index(means, slices.Min(means))]
}

// panel draws a metric against the number, a curve for each split.
func (c sweepCurve) panel(r *Result, metric string, splits ...split) (*viz.Figure, error) {
	var curves []viz.Series
	for _, on := range splits {
		curves = append(curves, c.on(r, metric, on).drawn(on.name, 0))
	}
	return viz.GammaCurves(metric, curves)
}

// bySeed returns the values of each seed, [seeds][numbers].
func (c sweepCurve) bySeed() (each [][]float64) {
	for seed := range c.values[0] {
		each = append(each, column(c.values, seed))
	}
	return each
}

// drawn returns the curve as pictures take it.
func (c sweepCurve) drawn(name string, classes int) viz.Series {
	curve := seriesOf(name, c.bySeed())
	curve.X, curve.Components, curve.Axis, curve.Classes = c.gamma, c.config.Posterior.Components,
		c.axis, classes
	return curve
}

// sweep is a family of methods that differ in gamma: one curve for each group, for example a number
// of components, and one point for each gamma.
type sweep struct {
	group func(nbbnn.Config) string // name of the curve of a configuration, for example "K = 4"
	only  func(nbbnn.Config) bool   // which configurations belong to it; nil means all
	// name of the sweep, for example "out"; "" if it's the only one
	title string
	// Method.Row of its methods; "" in a figure without rows
	row string

	metric string // drawn and compared; "" means NLL

	published publishedSweeps // the paper's curves; the zero value for a sweep without any
}

// in returns the sweep of another metric, of which the paper has published no curves.
func (s sweep) in(metric string) sweep {
	s.metric, s.published = metric, publishedSweeps{}
	return s
}

// withControls returns the sweep, and below it the same in temperature-scaled NLL, if measured, and
// in error: the part of an effect that a single temperature can't have.
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

// named returns the name of a curve or a panel with the sweep's title.
func (s sweep) named(name string) string {
	if s.title == "" {
		return name
	}
	return s.title + ", " + name
}

// groups returns the curves without values, in the order of the methods.
func (s sweep) groups(r *Result) (curves []sweepCurve) {
	for _, method := range r.Setup.Methods {
		config := r.Setup.config(method, 0).WithDefaults()
		if s.only != nil && !s.only(config) {
			continue
		}
		at := slices.IndexFunc(curves, func(c sweepCurve) bool {
			return c.group == s.group(config)
		})
		if at < 0 {
			at = len(curves)
			curves = append(curves, sweepCurve{group: s.group(config), config: config})
		}
		place, _ := slices.BinarySearch(curves[at].gamma, config.Objective.Gamma)
		curves[at].gamma = slices.Insert(curves[at].gamma, place, config.Objective.Gamma)
		curves[at].methods = slices.Insert(curves[at].methods, place, method.Name)
	}
	return curves
}

// curves returns the sweep on a split.
func (s sweep) curves(r *Result, on split) []sweepCurve {
	r = r.row(s.row)
	curves := s.groups(r)
	for i, c := range curves {
		curves[i] = c.on(r, s.metric, on)
	}
	return curves
}

// paper returns the paper's curves that belong to one of the sweep's, by the names of their splits.
func (s sweep) paper(c sweepCurve) map[string]sweepCurve {
	theirs := map[string]sweepCurve{}
	of, config := s.published, c.config
	if config.Network.Name != of.Network || config.Data.Name != of.Data ||
		config.Data.LabelNoise != of.LabelNoise || config.Posterior.Mode != nbbnn.Output {
		return theirs
	}
	for _, p := range of.Curves {
		if p.K != config.Posterior.Components {
			continue
		}
		var curve sweepCurve
		for i, nll := range p.NLL {
			curve.gamma, curve.values = append(curve.gamma, float64(publishedStep*i*p.K)),
				append(curve.values, []float64{nll})
		}
		theirs[p.Split] = curve
	}
	return theirs
}

// sweepNumbers has a line for each sweep that the figure has, metric, split and curve along gamma /
// K. Only the table of a single sweep has the controls.
func sweepNumbers(r *Result, sweeps []sweep, splits []split) numbers {
	sweeps = slices.DeleteFunc(slices.Clone(sweeps), func(s sweep) bool {
		return s.row != "" && !slices.Contains(r.rows(), s.row)
	})
	single := len(sweeps) == 1 && sweeps[0].row == ""
	first := metricOf(sweeps[0].metric)
	n := numbers{what: first.Heading(), at: "γ/K"}
	for _, s := range sweeps {
		for _, row := range s.withControls(r) {
			lines := row.lines(r, first.Name, splits)
			if single || row.metric == s.metric {
				n.lines = append(n.lines, lines...)
			} else {
				n.untabled = append(n.untabled, lines...)
			}
		}
	}
	return n
}

// lines has one for each split and curve. It names the metric, unless that is the usual one.
func (s sweep) lines(r *Result, usual string, splits []split) (lines []line) {
	metric := metricOf(s.metric)
	for _, on := range splits {
		l := line{What: s.named(on.name), Seeds: r.Setup.Seeds, decimals: metric.Decimals()}
		if metric.Name != usual {
			l.What = metric.Heading() + ", " + l.What
		}
		for _, c := range s.curves(r, on) {
			l.Curve, l.At, l.Values = c.group, strings.Fields(quantity.Spaced(c.perComponent())),
				c.bySeed()
			for _, values := range l.Values {
				floats.Scale(metric.Shown(1), values)
			}
			l.Paper = publishedAt(s.paper(c)[on.name], c.gamma)
			lines = append(lines, l)
		}
	}
	return lines
}
