package viz

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
)

// Sizes of small multiples.
const (
	multiples      = 5 // panels in a row
	multipleWidth  = 0.58 * panelWidth
	multipleHeight = 0.75 * panelHeight
)

// otherInk is the colour of the curves that a panel isn't about.
var otherInk = color.NRGBA{R: 0xbd, G: 0xbd, B: 0xbd, A: 0xff}

// LevelMultiples draws a panel for each curve, in its colour before all others in grey, with one range
// for all: for more methods than a panel of LevelPanels can tell apart.
func LevelMultiples(panel LevelPanel) (*Figure, error) {
	whole, err := panel.chart()
	if err != nil {
		return nil, err
	}
	note := "grey: the others; level 0: clean images; " + whole.caption
	if panel.Baseline != "" { // its words and label are too long for small axes
		quantity, _ := metricByName(panel.Metric)
		note = strings.TrimSuffix("minus "+panel.Baseline+", below 0: "+sides(quantity, panel.Baseline).below, ", below 0: ") + "; " + note
		whole.yLabel, whole.below = strings.Replace(whole.yLabel, " − "+panel.Baseline, "", 1), []plot.Plotter{zeroLine{}}
	}
	figures, count := make([]*Figure, len(panel.Curves)), len(panel.Curves)
	for i, s := range panel.Curves {
		c := about(whole, s.Name)
		c.width, c.height, c.xLabel, c.caption = multipleWidth, multipleHeight, "level", ""
		if i%multiples > 0 {
			c.yLabel, c.width = "", c.width-axisLabelHeight
		}
		if i+multiples < count {
			c.xLabel, c.height = "", c.height-axisLabelHeight
		}
		figures[i] = c.figure().Titled(s.Name)
	}
	grid, err := Grid(slices.Collect(slices.Chunk(figures, multiples))...)
	if err != nil {
		return nil, err
	}
	return noted(grid, note), nil
}

// about returns the chart without a legend, with all curves but one in grey.
func about(c chart, name string) chart {
	var own, others []curve
	for _, one := range c.curves {
		switch one.name {
		case name:
			one.name = ""
			own = append(own, one)
		case "": // of the paper, or of guessing
		default:
			others = append(others, curve{x: one.x, y: one.y, style: style{colour: otherInk, width: seedWidth}})
		}
	}
	c.curves, c.entries = append(others, own...), nil
	return c
}
