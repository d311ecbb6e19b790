package viz

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// LevelCurve is a metric of one method at the corruption levels.
type LevelCurve struct {
	Name  string      // of the method; it decides the colour, unless Colour does
	Mean  []float64   // [levels], mean over seeds; level 0 is the clean test set
	Std   []float64   // [levels], standard deviation over seeds, drawn as error bars from five seeds on; nil draws none
	Seeds int         // number of runs behind Mean and Std; 0 means not known
	Each  [][]float64 // [seeds][levels], the values of each seed, drawn as thin lines of fewer than five; nil draws none
	Paper []float64   // [levels], the paper's own curve; nil draws none

	PaperName string // of Paper in the legend, such as "paper, 19 corruptions"; "" means "paper"
	Test      string // what was measured, for the caption, such as "first8, 16 samples, 1000 images"; "" leaves it out
	Colour    string // such as "#0067a8"; "" means the colour of the name
}

// LevelCurves draws a metric against the corruption level, with error bars of one standard
// deviation from five seeds on and a thin line for each of fewer seeds. The paper's curves, if
// given, are thin dashed lines. Every point stands at its level; only error bars that overlap are
// moved a little sideways. The metric is "NLL" or "GibbsNLL" (nats an image), "Error" (a fraction,
// drawn in percent), "ECE" or "MeanECE" (fractions) or "Brier". All curves must have the same
// levels.
func LevelCurves(metric string, curves []LevelCurve) (*Figure, error) {
	c, err := newLevelChart(metric, curves)
	if err != nil {
		return nil, err
	}
	return c.figure(), nil
}

// newLevelChart checks the curves and places them.
func newLevelChart(metric string, curves []LevelCurve) (chart, error) {
	quantity, err := metricByName(metric)
	if err != nil {
		return chart{}, err
	}
	methods, err := levelSeries(curves)
	if err != nil {
		return chart{}, err
	}
	if err := checkSeries(quantity, methods); err != nil {
		return chart{}, err
	}
	return levelChart(quantity, methods, curves), nil
}

// levelSeries copies and checks the curves' values.
func levelSeries(curves []LevelCurve) ([]series, error) {
	methods := make([]series, len(curves))
	for i, c := range curves {
		var err error
		if methods[i], err = newSeries(c.Name, c.Mean, c.Std, c.Seeds); err != nil {
			return nil, err
		}
		methods[i].test, methods[i].colour = c.Test, c.Colour
		if err := methods[i].addSeeds(c.Each); err != nil {
			return nil, err
		}
		if levels := len(curves[0].Mean); len(c.Mean) != levels {
			return nil, fmt.Errorf("viz: curve %q has %d levels and %q has %d: give all curves the same", c.Name, len(c.Mean), curves[0].Name, levels)
		}
		if c.Paper != nil && len(c.Paper) != len(c.Mean) {
			return nil, fmt.Errorf("viz: curve %q has %d levels and the paper's has %d: give as many of both", c.Name, len(c.Mean), len(c.Paper))
		}
		if err := finite(c.Name, "paper's value", c.Paper, math.Inf(-1)); err != nil {
			return nil, err
		}
	}
	return methods, checkNames(methods)
}

// levelChart places the curves, the paper's below ours, and names them.
func levelChart(quantity score.Metric, methods []series, curves []LevelCurve) chart {
	looks := stylesOf(methods)
	papers := paperCurves(quantity, curves, looks)
	c := chart{
		xLabel:  "corruption level (0 = clean)",
		yLabel:  quantity.Label(),
		x:       span{-0.3, float64(len(methods[0].mean)) - 0.7},
		curves:  papers,
		caption: testCaption(testOf(methods), methods),
	}
	var ours []curve
	for i, s := range methods {
		ours = append(ours, curve{
			name:      s.name,
			x:         places(len(s.mean), 0),
			y:         shown(quantity, s.mean),
			deviation: shown(quantity, s.drawnDeviation()),
			each:      eachInUnits(quantity, s.drawnSeeds()),
			style:     looks[i],
			marks:     len(s.mean),
		})
		c.entries = append(c.entries, entry{name: s.name, style: looks[i]})
	}
	separateBars(ours, math.Min(0.07, 0.3/float64(len(ours))))
	c.curves = append(c.curves, ours...)
	if len(papers) > 0 {
		c.entries = append(c.entries, entry{name: paperName(curves), style: paperSample(papers)})
	}
	c.y = reach(c.curves).fromZero(0.05)
	c.xTicks, c.yTicks = ticker{10, true}, ticker{6, false}
	return c
}

// paperName is the first name that a curve has for the paper's.
func paperName(curves []LevelCurve) string {
	for _, c := range curves {
		if c.Paper != nil && c.PaperName != "" {
			return c.PaperName
		}
	}
	return "paper"
}

// paperCurves returns the paper's curves in the colours of the methods that they belong to.
func paperCurves(quantity score.Metric, curves []LevelCurve, looks []style) []curve {
	var papers []curve
	for i, c := range curves {
		if c.Paper != nil {
			papers = append(papers, curve{x: places(len(c.Paper), 0), y: shown(quantity, c.Paper), style: looks[i].paper()})
		}
	}
	return papers
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

// eachInUnits returns the values of each seed in the unit of the label.
func eachInUnits(quantity score.Metric, each [][]float64) (inUnits [][]float64) {
	for _, values := range each {
		inUnits = append(inUnits, shown(quantity, values))
	}
	return inUnits
}
