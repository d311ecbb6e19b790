package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"gonum.org/v1/plot/vg"
)

// LevelPanel is one metric of several methods at the corruption levels.
type LevelPanel struct {
	Metric string // as in LevelCurves
	Curves []LevelCurve
}

// LevelCurves draws a metric of package score ("NLL", "Error", "ECE" and others) against the
// corruption level, with error bars of one standard deviation from five seeds on and a thin line
// for each of fewer seeds. Fractions are drawn in percent. The paper's curves, if given, are thin
// dashed lines. Every point stands at its level; only error bars that overlap are moved a little
// sideways. All curves must have the same levels.
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
		return paired(s.owner(), "levels", len(s.Mean), fmt.Sprintf("in %q", p.Curves[0].Name),
			len(p.Curves[0].Mean))
	})
}

// levelChart places the curves and names them.
func levelChart(quantity score.Metric, methods []Series) chart {
	levels := places(len(methods[0].Mean), 0)
	c := chart{
		xLabel: "corruption level (0 = clean)", yLabel: quantity.Label(),
		x: span{-0.3, float64(len(levels)) - 0.7}, xTicks: ticker{10, true},
		caption: measured(testOf(methods), "error bars", methods),
	}
	ours := c.addSeries(quantity, methods, func(Series) []float64 { return levels })
	for i := range ours {
		ours[i].name = methods[i].Name
	}
	separateBars(ours, math.Min(0.07, 0.3/float64(len(ours))))
	c.y = reach(c.curves).atLeast(leastSpan(quantity)).notNegative(c.curves).fromZero(0.05)
	c.yTicks = fromZeroTicks
	addGuess(&c, quantity, methods[0].Classes)
	return c
}

// Sizes of each of three or more panels, so that a notebook's page holds them side by side.
const (
	panelWidth  = 3.1 * vg.Inch
	panelHeight = 2.6 * vg.Inch
)

// LevelGrid draws metrics against the corruption level with one legend for all. A row's metrics are
// side by side; rows are below each other. The curves of a method have the same name in all panels,
// in the same order.
func LevelGrid(rows ...[]LevelPanel) (*Figure, error) {
	grid := make([][]*Figure, len(rows))
	for i, row := range rows {
		var err error
		if grid[i], err = levelRow(row); err != nil {
			return nil, err
		}
	}
	return SharedGrid(grid...)
}

// levelRow draws the panels of a row.
func levelRow(panels []LevelPanel) ([]*Figure, error) {
	charts := make([]chart, len(panels))
	for i, panel := range panels {
		c, err := panel.chart()
		if err != nil {
			return nil, err
		}
		if len(panels) > 2 {
			c.width, c.height = panelWidth, panelHeight
		}
		charts[i] = c
	}
	figures, middle := make([]*Figure, len(charts)), len(charts)/2
	for i, c := range charts {
		if i != middle && c.caption == charts[middle].caption {
			c.caption = "" // the panel in the middle has it for all
		}
		figures[i] = c.figure()
	}
	return figures, nil
}

// LevelTable returns what LevelGrid draws as a table, "mean ± standard deviation" over the seeds.
func LevelTable(panels ...LevelPanel) (Table, error) {
	if len(panels) == 0 {
		return Table{}, errors.New("viz: a table of 0 metrics: give at least one")
	}
	table := Table{Header: []string{"", "level"}, Labels: 2}
	for i, panel := range panels {
		quantity, methods, err := panel.measured()
		if err != nil {
			return Table{}, err
		}
		levels := len(methods[0].Mean)
		if i == 0 {
			for _, level := range places(levels, 0) {
				table.Header = append(table.Header, fmt.Sprint(level))
			}
			table.Caption = tableCaption(methods)
		}
		if before := len(table.Header) - table.Labels; levels != before {
			return Table{}, fmt.Errorf("viz: %s has %d levels and %s has %d: give all metrics "+
				"the same", panel.Metric, levels, panels[0].Metric, before)
		}
		table.addBlock(quantity, quantity.Heading(), methods)
	}
	return table, nil
}

// addBlock adds a row for each method, with a label or the one above it. A mean that isn't a number
// is a dash, which HTML shows in grey.
func (t *Table) addBlock(quantity score.Metric, label string, methods []Series) {
	for _, s := range methods {
		row := []string{label, s.Name}
		for column := range s.Mean {
			row = append(row, s.cell(quantity, column))
		}
		t.Rows = append(t.Rows, row)
	}
}

// cell writes a mean with its standard deviation for a table.
func (s Series) cell(metric score.Metric, place int) string {
	switch mean := metric.Shown(s.Mean[place]); {
	case math.IsNaN(mean):
		return noValue
	case s.Std == nil:
		return quantity.MeanStd(mean, 0, 1, metric.Decimals())
	default:
		return quantity.MeanStd(mean, metric.Shown(s.Std[place]), s.Seeds, metric.Decimals())
	}
}

// Sizes of small multiples.
const (
	multiples      = 5 // panels in a row
	multipleWidth  = 0.58 * panelWidth
	multipleHeight = 0.75 * panelHeight
)

// otherInk is the colour of the curves that a panel isn't about.
var otherInk = rgb(0xbdbdbd)

// LevelMultiples draws a panel for each curve, in its colour before all others in grey, with one
// range for all: for more methods than a panel of LevelGrid can distinguish.
func LevelMultiples(panel LevelPanel) (*Figure, error) {
	whole, err := panel.chart()
	if err != nil {
		return nil, err
	}
	note := "grey: the others; level 0: clean images; " + whole.caption
	if slices.ContainsFunc(panel.Curves, func(s Series) bool { return s.Paper != nil }) {
		note += "; dashed: the " + paperName(panel.Curves)
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
	grid, err := columnOf(slices.Collect(slices.Chunk(figures, multiples)))
	if err != nil {
		return nil, err
	}
	return grid.noted(note), nil
}

// about returns the chart without a legend, with all curves but one and the paper's in grey.
func about(c chart, name string) chart {
	var own, others []curve
	at := slices.IndexFunc(c.curves, func(one curve) bool { return one.name == name })
	for _, one := range c.curves {
		switch {
		case one.name == name || one.name == "" && one.style.colour == c.curves[at].style.colour:
			one.name = ""
			own = append(own, one)
		case one.name != "": // not of guessing
			others = append(others, curve{x: one.x, y: one.y, style: style{colour: otherInk,
				width: seedWidth}})
		}
	}
	c.curves, c.entries = append(others, own...), nil
	return c
}
