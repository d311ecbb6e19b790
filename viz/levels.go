package viz

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// LevelPanel is one metric of several methods at the corruption levels.
type LevelPanel struct {
	Metric string // one of those of LevelCurves
	Curves []LevelCurve
}

// LevelCurves draws a metric of package score, such as "NLL", "Error" or "ECE", against the
// corruption level, with error bars of one standard deviation from five seeds on and a thin line for
// each of fewer seeds. Fractions are drawn in percent. The paper's curves, if given, are thin dashed
// lines. Every point stands at its level; only error bars that overlap are moved a little sideways.
// All curves must have the same levels.
func LevelCurves(metric string, curves []LevelCurve) (*Figure, error) {
	return drawn(LevelPanel{Metric: metric, Curves: curves}.chart())
}

// chart places the curves of the panel.
func (p LevelPanel) chart() (chart, error) {
	quantity, methods, err := p.measured()
	if err != nil {
		return chart{}, err
	}
	return levelChart(quantity, methods), nil
}

// measured returns the metric of the panel, with copies of its curves.
func (p LevelPanel) measured() (score.Metric, []Series, error) {
	return measurable(p.Metric, p.Curves, func(s Series) error {
		return paired(s.owner(), "levels", len(s.Mean), fmt.Sprintf("in %q", p.Curves[0].Name), len(p.Curves[0].Mean))
	})
}

// levelChart places the curves and names them.
func levelChart(quantity score.Metric, methods []Series) chart {
	levels := places(len(methods[0].Mean), 0)
	c := chart{
		xLabel: "corruption level (0 = clean)", yLabel: quantity.Label(), x: span{-0.3, float64(len(levels)) - 0.7}, xTicks: ticker{10, true},
		caption: measured(testOf(methods), "error bars", methods),
	}
	ours := c.addSeries(quantity, methods, func(Series) []float64 { return levels })
	for i := range ours {
		ours[i].name = methods[i].Name
	}
	separateBars(ours, math.Min(0.07, 0.3/float64(len(ours))))
	c.y = reach(c.curves).atLeast(leastSpan(quantity)).fromZero(0.05)
	addGuess(&c, quantity, methods[0].Classes)
	return c
}

// addSeries adds curves at their places on the axis, the paper's below ours, and their names to the
// legend. It returns ours, to change in the chart.
func (c *chart) addSeries(quantity score.Metric, methods []Series, places func(Series) []float64) (ours []curve) {
	for i, look := range stylesOf(methods) {
		s, x := methods[i], places(methods[i])
		if s.Paper != nil {
			c.curves = append(c.curves, curve{x: x, y: shown(quantity, s.Paper), style: look.paper()})
		}
		ours, c.entries = append(ours, s.curve(quantity, x, look)), append(c.entries, entry{name: s.Name, style: look})
	}
	papers := len(c.curves)
	if papers > 0 {
		c.entries = append(c.entries, entry{name: paperName(methods), style: paperSample(c.curves)})
	}
	c.curves = append(c.curves, ours...)
	return c.curves[papers:]
}

// paperName is the first name that a curve has for the paper's.
func paperName(curves []Series) string {
	for _, c := range curves {
		if c.Paper != nil && c.PaperName != "" {
			return c.PaperName
		}
	}
	return "paper"
}

// paperSample is the line that stands for the paper's curves in the legend: grey when they have
// several colours.
func paperSample(papers []curve) style {
	sample := papers[0].style
	for _, paper := range papers[1:] {
		if paper.style.colour != sample.colour {
			sample.colour = softInk
		}
	}
	return sample
}

// places returns 0, 1, 2, ... moved to the right by shift.
func places(count int, shift float64) []float64 {
	result := make([]float64, count)
	for i := range result {
		result[i] = float64(i) + shift
	}
	return result
}
