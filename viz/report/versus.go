package report

import (
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// shifts are the splits that Versus draws: no shift, mild and severe corruptions.
var shifts = []split{{"clean", 0, 0}, {"severities 1 to 3", 1, 3}, {"severities 4 and 5", 4, 5}}

// Versus draws metrics against the number in which alone the methods differ, such as gamma or the
// number of components: those of Metrics if none are named. Each metric has a curve for the clean
// images, one for mild and one for severe corruptions, all means over levels and seeds. It returns
// nil if the methods differ in something else, or if there are fewer than three.
func Versus(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	c = c.Ordered()
	name, values, found := c.Axis()
	if !found || len(c.Methods) < 3 || values[0] < 0 {
		return nil, nil
	}
	panels, err := Panels(c, metrics...)
	if err != nil {
		return nil, err
	}
	figures := make([]*viz.Figure, len(panels))
	for i, panel := range panels {
		curves := make([]viz.GammaCurve, len(shifts))
		for k, split := range shifts {
			curves[k] = viz.GammaCurve{Name: split.name, Axis: name, Gamma: values, Classes: c.Classes, Seeds: panel.Curves[0].Seeds}
			for _, method := range panel.Curves {
				curves[k].Seeds = min(curves[k].Seeds, method.Seeds)
				curves[k].Mean = append(curves[k].Mean, score.Summarise(method.Mean[split.first:split.last+1]).Mean)
			}
		}
		if figures[i], err = viz.GammaCurves(panel.Metric, curves); err != nil {
			return nil, err
		}
	}
	return viz.SharedRow(figures...)
}
