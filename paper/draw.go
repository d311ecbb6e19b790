package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/viz"
)

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
		curve := viz.LevelCurve{Name: method.Name, Mean: mean, Std: std, Seeds: len(r.Setup.Seeds), Test: r.testText()}
		if paper, found := r.published(method.Name, metric); found {
			curve.Paper, curve.PaperName = paper.Mean[:], fmt.Sprintf("paper, %d corruptions", paper.Corruptions)
		}
		curves = append(curves, curve)
	}
	return viz.LevelCurves(metric, curves)
}

// testText is the suite, the samples and the images of an evaluated figure, such as "first8, 16 samples, 1000 images".
func (r *Result) testText() string { return testedOn(r.Setup.Evaluation.Suite, r.Runs[0].Cells) }

// Test says what the figure's levels were measured on, such as "first8, 16 samples, 1000 images, 2 seeds". It's empty before
// Figure.Evaluate.
func (r *Result) Test() string {
	if !r.Evaluated() {
		return ""
	}
	if r.Setup.isImplicit() {
		return fmt.Sprintf("%s, %s", r.Setup.implicitText(), seedsText(r.Setup.Seeds))
	}
	if seeds := len(r.Setup.Seeds); seeds != 1 {
		return fmt.Sprintf("%s, %d seeds", r.testText(), seeds)
	}
	return r.testText() + ", 1 seed"
}

// Draw draws the whole figure in the paper's layout.
func (r *Result) Draw() (*viz.Figure, error) { return r.Figure.Layout(r) }
