package paper

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/viz"
)

// drawnEffects is the largest number of effects that are drawn with a row each.
const drawnEffects = 12

// findingFigure draws what the title of the figure follows from: the effects of the headline's
// claim with their intervals. A figure of levels has the curves next to them. It is nil if there is
// nothing to draw.
func findingFigure(r *Result) (*viz.Figure, error) {
	verdict, found := headlineVerdict(r)
	if !found || len(verdict.Effects) > drawnEffects {
		return nil, nil
	}
	figure, err := viz.Differences(differencePlot(r, verdict))
	if err != nil {
		return nil, err
	}
	if metric := metricOf(r, verdict); metric != "" {
		levels, err := r.LevelFigure(metric)
		if err != nil {
			return nil, err
		}
		if figure, err = viz.Row(levels, figure); err != nil {
			return nil, err
		}
	}
	return figure.Headed(r.Finding(), subtitles(r)...), nil
}

// headlineVerdict is the verdict that the title follows from.
func headlineVerdict(r *Result) (Verdict, bool) {
	for _, v := range r.Verdicts() {
		if len(v.Effects) > 0 && v.Claim == r.Figure.Headline.Claim {
			return v, true
		}
	}
	return Verdict{}, false
}

// metricOf is the metric that the effects compare level by level; "" if they don't.
func metricOf(r *Result, v Verdict) string {
	_, ofLevels := r.Figure.Collect.(levelMeasurement)
	if !ofLevels || len(v.Effects) != len(levelNames()) {
		return ""
	}
	if v.Effects[0].Unit == "points" {
		return Error
	}
	return NLL
}

// differencePlot returns the effects as rows, without the part of the names that all share.
func differencePlot(r *Result, v Verdict) viz.DifferencePlot {
	shared, quantity := sharedBeginning(v.Effects), comparedIn(v.Effects)
	p := viz.DifferencePlot{
		Quantity: strings.ReplaceAll(fmt.Sprintf("%s (%s)", strings.TrimSpace(quantity), v.Effects[0].Unit), " - ", " − "),
		Claimed:  int(v.Effects[0].Claimed.sign()),
		Caption:  fmt.Sprintf("small dots: %s; shaded: the claim's side", counted(v.seeds(), "seed")),
	}
	if v.Effects[0].Interval != nil {
		p.Caption = fmt.Sprintf("95 %% intervals, %s (small dots); shaded: the claim's side", counted(v.seeds(), "seed"))
	}
	for _, e := range v.Effects {
		p.Differences = append(p.Differences, viz.Difference{
			Name: strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(e.Name, shared)), " - ", " − "), Mean: e.Mean, Interval: e.Interval, Each: e.Differences, Paper: e.Paper,
		})
	}
	return p
}

// comparedIn returns the comparison that all effects make, such as "M32 - M16".
func comparedIn(effects []Effect) string {
	shared := sharedBeginning(effects)
	for _, end := range []string{" at", " in", ","} {
		shared = strings.TrimSuffix(shared, end)
	}
	return cmp.Or(shared, "difference")
}

// sharedBeginning returns the words with which the names of all effects begin.
func sharedBeginning(effects []Effect) string {
	shared := strings.Fields(effects[0].Name)
	shared = shared[:len(shared)-1]
	for _, e := range effects[1:] {
		words := strings.Fields(e.Name)
		for i := range shared {
			if i >= len(words)-1 || words[i] != shared[i] {
				shared = shared[:i]
				break
			}
		}
	}
	if at := len(shared) - 1; at > 1 && shared[at] == "level" {
		shared = shared[:at]
	}
	return strings.Join(shared, " ")
}
