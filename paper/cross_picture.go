package paper

import (
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// crossPicture draws a column for each network that is tested: its negative log-likelihood on clean
// images, on its own corruptions and on the others', and below it, for each metric, how much the
// corruptions cost. The panels of a row share their axes.
func crossPicture(r *Result) (*viz.Figure, error) {
	metrics := crossMetrics(r)
	rows := make([][]*viz.Figure, 1+len(metrics))
	for _, method := range r.methodNames() {
		absolute, err := crossPanel(r, method, metrics[0].Label(), false, func(c crossCurve) [][]float64 { return c.values(r, NLL) })
		if err != nil {
			return nil, err
		}
		rows[0] = append(rows[0], absolute.Titled(method+" is tested"))
		for i, metric := range metrics {
			panel, err := crossPanel(r, method, costLabel(metric), true, func(c crossCurve) [][]float64 { return c.cost(r, metric) })
			if err != nil {
				return nil, err
			}
			rows[i+1] = append(rows[i+1], panel)
		}
	}
	for _, row := range rows {
		shareRange(row...)
	}
	return viz.Grid(rows...)
}

// costLabel is the label of an axis, such as "cost in NLL (nats)".
func costLabel(metric score.Metric) string {
	name := metric.Title
	if name == "" {
		name = metric.Name
	}
	return "cost in " + name + " (" + unitOf(metric) + ")"
}

// crossPanel draws the lines of one tested network, and those of its seeds if asked.
func crossPanel(r *Result, method, quantity string, seeds bool, values func(crossCurve) [][]float64) (*viz.Figure, error) {
	var curves []viz.ImplicitCurve
	for _, line := range linesOf(r, method) {
		each := values(line.crossCurve)
		curve := viz.ImplicitCurve{Name: line.short, Method: method, Seeds: len(each)}
		curve.Mean, curve.Std = meansAndStds(summarise(each))
		if seeds {
			curve.Each = each
		}
		curves = append(curves, curve)
	}
	return viz.ImplicitCurves(quantity, r.Setup.filledImplicit().Lambda, curves)
}

// shortLine is a line of the cross-test with its name in the panel of its network.
type shortLine struct {
	crossCurve
	short string
}

// linesOf returns the lines of one tested network: its own corruptions, the others', and clean.
func linesOf(r *Result, method string) []shortLine {
	lines := []shortLine{{crossCurve{method, method}, "its own"}}
	for _, by := range r.methodNames() {
		if by != method {
			lines = append(lines, shortLine{crossCurve{method, by}, by + "'s"})
		}
	}
	return append(lines, shortLine{crossCurve{method, ""}, "clean"})
}
