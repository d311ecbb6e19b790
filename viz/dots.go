package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// DotPlot is a metric of several methods on several sets of test images.
type DotPlot struct {
	Metric   string   // for example "NLL"
	Panels   []string // titles of the sets of images, for example "clean"
	Rows     []DotRow // their order decides the colours of names without one
	Order    []int    // the places of all rows from top to bottom; nil keeps the given order
	Baseline string   // name of the row whose means are dashed lines; "" draws none
}

// Dots draws a row for each method and a panel for each set of images. Names are only on the left,
// so it stays readable where curves of many methods hide each other. Two seeds have no mean: it
// would be a network that may not exist.
func Dots(p DotPlot) (*Figure, error) {
	quantity, methods, err := measurable(p.Metric, p.Rows, func(row Series) error {
		return paired(row.owner(), "means", len(row.Mean), "panels", len(p.Panels))
	})
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	panels := make([]*Figure, len(p.Panels))
	for i, title := range p.Panels {
		panels[i] = p.panel(i, quantity, methods).figure().Titled(title)
	}
	return Row(panels...)
}

// check refuses an order and a baseline that don't fit the rows.
func (p DotPlot) check() error {
	if p.Baseline != "" && !slices.ContainsFunc(p.Rows, func(s Series) bool {
		return s.Name == p.Baseline
	}) {
		return fmt.Errorf("viz: no row of the dots is called %q: give the baseline the name of a "+
			"row, or leave it out", p.Baseline)
	}
	if p.Order != nil && !slices.Equal(slices.Sorted(slices.Values(p.Order)),
		indices(len(p.Rows))) {
		return fmt.Errorf("viz: the order %d isn't one of %d rows: give each place from 0 on "+
			"once, or nil", p.Order, len(p.Rows))
	}
	return nil
}

// indices returns 0 to count - 1.
func indices(count int) []int {
	all := make([]int, count)
	for i := range all {
		all[i] = i
	}
	return all
}

// Sizes of a plot of dots, in points.
const (
	dotRow        vg.Length = 19
	dotPanelWidth vg.Length = 190 // of a panel without names
)

// panel draws the metric on one set of images. The first panel has the names.
func (p DotPlot) panel(at int, quantity score.Metric, methods []Series) chart {
	c := chart{
		xLabel: quantity.Label(), x: nothing(), caption: p.caption(at, methods),
		height: dotRow*vg.Length(len(methods)) + differenceRoom, width: dotPanelWidth,
	}
	order, looks := p.Order, stylesOf(methods)
	if order == nil {
		order = indices(len(methods))
	}
	names, marks := make([]string, len(order)), make([]mark, len(order))
	for row, i := range order {
		names[row], marks[row] = " ", dotMark(methods[i], quantity, at, looks[i])
		if at == 0 {
			names[row] = methods[i].Name
			c.width = max(c.width, dotPanelWidth+textWidth(methods[i].Name, tickSize))
		}
		if methods[i].Name == p.Baseline {
			c.below = append(c.below, verticalMark(quantity.Shown(methods[i].Mean[at]), false))
		}
	}
	c.addRows(names, marks)
	c.x = c.x.atLeast(leastSpan(quantity)).widen(0.08)
	return c
}

// caption explains the marks below the first panel and the test below the last.
func (p DotPlot) caption(at int, methods []Series) string {
	var parts []string
	say := func(text string, holds func(Series) bool) {
		if at == 0 && slices.ContainsFunc(methods, holds) {
			parts = append(parts, text)
		}
	}
	say("small points: seeds", func(s Series) bool { return len(s.drawnSeeds()) > 2 })
	say("two marks: two seeds", func(s Series) bool { return len(s.drawnSeeds()) == 2 })
	say("bars: standard deviations over seeds", func(s Series) bool { return s.drawnStd() != nil })
	say("dashed: "+letters(p.Baseline), func(s Series) bool { return s.Name == p.Baseline })
	if at == len(p.Panels)-1 {
		parts = append(parts, testOf(methods))
	}
	return joined(parts...)
}

// dotMark returns the values at one place in the unit of the axis. Two seeds are two marks.
func dotMark(s Series, quantity score.Metric, at int, look style) mark {
	mean := quantity.Shown(s.Mean[at])
	m := mark{means: []float64{mean}, look: look, bar: look.bar(), aside: -dotRow / 3}
	if std := s.drawnStd(); std != nil {
		deviation := quantity.Shown(std[at])
		m.interval = []float64{mean - deviation, mean + deviation}
	}
	for _, values := range s.drawnSeeds() {
		m.seeds = append(m.seeds, quantity.Shown(values[at]))
	}
	if len(m.seeds) == 2 {
		m.means, m.seeds = m.seeds, nil
	}
	return m
}

// Strip holds the values of one group, for example the standard deviations of one layer's latents.
type Strip struct {
	Name   string // of the group, below its column
	Values []float64
}

// StripPlot is a quantity in several groups.
type StripPlot struct {
	Quantity string // with its unit, for example "σ of the latents"
	Strips   []Strip

	// Reference is a value to compare with, drawn as a dotted line with its name. "" draws none.
	Reference     float64
	ReferenceName string
}

// Strips draws a column of dots for each group, one for each value, with a bar at the median. Dots
// are set side by side in the order of the values, so that equal values can be told apart.
func Strips(p StripPlot) (*Figure, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	result := chart{yLabel: p.Quantity, y: nothing(),
		width: max(chartWidth, stripWidth*vg.Length(len(p.Strips)))}
	result.caption = "a dot for each value; bars: medians"
	result.x = span{0.4, float64(len(p.Strips)) + 0.6}
	var ticks plot.ConstantTicks
	for i, strip := range p.Strips {
		result.y = result.y.include(strip.Values...)
		result.above = append(result.above,
			column(float64(i+1), slices.Sorted(slices.Values(strip.Values))))
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: strip.Name})
	}
	result.xTicks = ticks
	if p.ReferenceName != "" {
		result.y = result.y.include(p.Reference)
		result.add(referenceLine(result.x, p.Reference), p.ReferenceName)
	}
	result.y = result.y.atLeast(leastSigma * result.y.size()).fromZero(0.06)
	return result.figure(), nil
}

// check refuses plots without values.
func (p StripPlot) check() error {
	if len(p.Strips) == 0 {
		return errors.New("viz: a plot of 0 strips: give at least one")
	}
	problem := within("a plot of strips", "reference", []float64{p.Reference}, numbers)
	for _, strip := range p.Strips {
		if len(strip.Values) == 0 {
			return fmt.Errorf("viz: strip %q has no values: leave it out", strip.Name)
		}
		problem = cmp.Or(problem, within(fmt.Sprintf("strip %q", strip.Name), "value", strip.Values,
			numbers))
	}
	return problem
}

// Sizes of a strip plot.
const (
	stripWidth = 0.62 * vg.Inch // of a column
	// largest distance of a dot from the middle of its column, which is 1 wide
	dotSpread  = 0.27
	medianHalf = 0.36              // half of the length of a median's bar
	goldenStep = 0.618033988749895 // spreads the dots of neighbouring values evenly
)

// column draws the dots of a strip, whose values rise, at its place, then the median.
func column(x float64, values []float64) painter {
	return func(canvas draw.Canvas, axes *plot.Plot) {
		toX, toY := axes.Transforms(&canvas)
		pale, last := paleOf(hues[0], 0.65), len(values)-1
		for i, value := range values {
			_, share := math.Modf(float64(i+1) * goldenStep)
			at := xy(toX(x+dotSpread*(2*share-1)), toY(value))
			if last == 0 {
				at.X = toX(x)
			}
			paintDot(canvas, pale, dotRadius, at)
		}
		y := toY((values[last/2] + values[(last+1)/2]) / 2)
		strokeWithin(canvas, pen(ink, curveWidth),
			xy(toX(x-medianHalf), y), xy(toX(x+medianHalf), y))
	}
}

// mark is a mean with its interval and its seeds. They are horizontal at one height, or vertical at
// one place of the horizontal axis.
type mark struct {
	place    float64 // on the axis across
	upright  bool
	means    []float64
	interval []float64 // its two ends; nil: none
	seeds    []float64 // drawn as dots
	paper    *float64  // drawn as a diamond; nil: none
	scaled   *mark     // with an interval a little below; nil: none
	look     style
	bar      draw.LineStyle // of the interval
	dot      vg.Length      // radius; 0: dotRadius
	aside    vg.Length      // of the dots from the means, across
}

// Sizes of a mark, in points.
const (
	meanRadius vg.Length = 4
	dotRadius  vg.Length = 1.8 // of a value
	// from a row to its ring with an interval, in rows
	scaledShift = 0.25
)

// paperMark is the look of the paper's values.
var paperMark = style{colour: softInk, marker: markers[3]}

// values returns all values on the axis.
func (m mark) values() []float64 {
	values := slices.Concat(m.means, m.seeds, m.interval)
	if m.paper != nil {
		values = append(values, *m.paper)
	}
	if m.scaled != nil {
		values = append(values, m.scaled.values()...)
	}
	return values
}

// Plot draws the interval, the seeds, the paper's value and the means.
func (m mark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	across, at := xy(0, 1), func(value float64) vg.Point {
		return xy(toX(value), toY(m.place))
	}
	if m.upright {
		across, at = xy(1, 0), func(value float64) vg.Point {
			return xy(toX(m.place), toY(value))
		}
	}
	if m.interval != nil {
		paintInterval(canvas, m.bar, at(m.interval[0]), at(m.interval[1]), across.Scale(capWidth/2))
	}
	m.paintSeeds(canvas, at, across)
	if m.paper != nil {
		paintMean(canvas, paperMark, at(*m.paper))
	}
	for _, mean := range m.means {
		paintMean(canvas, m.look, at(mean))
	}
	if m.scaled != nil {
		if m.scaled.place = m.place; m.scaled.interval != nil {
			m.scaled.place -= scaledShift
		}
		m.scaled.Plot(canvas, axes)
	}
}

// paintSeeds draws a dot for each seed, farther aside for each other that it would hide.
func (m mark) paintSeeds(canvas draw.Canvas, at func(float64) vg.Point, across vg.Point) {
	for i, seed := range m.seeds {
		row := vg.Length(1)
		for _, other := range m.seeds[:i] {
			if apart := at(seed).Sub(at(other)); apart.Dot(apart) < dotRadius*dotRadius {
				row += 0.5
			}
		}
		paintDot(canvas, m.look.colour, cmp.Or(m.dot, dotRadius),
			at(seed).Add(across.Scale(row*m.aside)))
	}
}

func paintMean(canvas draw.Canvas, look style, at vg.Point) {
	if holds(canvas, at) {
		drawMarkerOf(meanRadius, &canvas, look, at)
	}
}

// paintDot draws a disc if the axes hold its centre.
func paintDot(canvas draw.Canvas, colour color.Color, radius vg.Length, at vg.Point) {
	if holds(canvas, at) {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: radius,
			Shape: draw.CircleGlyph{}}, at)
	}
}

// paintInterval draws the line between the ends of an interval, with caps of the given half.
func paintInterval(canvas draw.Canvas, look draw.LineStyle, low, high, half vg.Point) {
	strokeWithin(canvas, look, low, high)
	for _, end := range []vg.Point{low, high} {
		strokeWithin(canvas, look, end.Sub(half), end.Add(half))
	}
}

// addRows puts marks below each other, each with its name on the vertical axis.
func (c *chart) addRows(names []string, marks []mark) {
	var ticks plot.ConstantTicks
	for i, m := range marks {
		m.place = float64(len(marks) - i)
		ticks = append(ticks, plot.Tick{Value: m.place, Label: letters(names[i])})
		c.above, c.x = append(c.above, m), c.x.include(m.values()...)
	}
	c.y, c.xTicks, c.yTicks = span{0.4, float64(len(marks)) + 0.6}, ticker{4, false}, ticks
}
