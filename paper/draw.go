package paper

import "github.com/nbbnn/workbench/viz"

// EntropyFigure draws the entropy of the posterior over training, one curve for each method.
func (r *Result) EntropyFigure() (*viz.Figure, error) {
	var curves []viz.EntropyCurve
	for _, method := range r.Figure.Methods {
		mean, std := split(r.EntropySummary(method.Name))
		curves = append(curves, viz.EntropyCurve{Name: method.Name, Mean: mean, Std: std, Seeds: len(r.Setup.Seeds)})
	}
	return viz.EntropyCurves(curves)
}

// LevelFigure draws a metric against the corruption level, one curve for each method with the paper's beside it.
func (r *Result) LevelFigure(metric string) (*viz.Figure, error) {
	var curves []viz.LevelCurve
	for _, method := range r.Figure.Methods {
		summaries, err := r.LevelSummary(method.Name, metric)
		if err != nil {
			return nil, err
		}
		mean, std := split(summaries)
		curves = append(curves, viz.LevelCurve{
			Name: method.Name, Mean: mean, Std: std, Seeds: len(r.Setup.Seeds),
			Paper: r.published(method.Name, metric),
		})
	}
	return viz.LevelCurves(metric, curves)
}

// Draw draws the whole figure in the paper's layout.
func (r *Result) Draw() (*viz.Figure, error) { return r.Figure.Layout(r) }
