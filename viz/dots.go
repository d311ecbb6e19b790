package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// DotPlot is a metric of several methods on several sets of test images.
type DotPlot struct {
	Metric   string   // such as "NLL"
	Panels   []string // titles of the sets of images, such as "clean"
	Rows     []DotRow // their order decides the colours of names without one
	Order    []int    // the places of all rows from top to bottom; nil draws them as they are given
	Baseline string   // name of the row whose means are dashed lines; "" draws none
}

// Dots draws a row for each method and a panel for each set of images. Names stand once, on the left,
// so it stays readable where curves of many methods hide each other. Two seeds have no mean: it would
// be a network that may not exist.
func Dots(p DotPlot) (*Figure, error) {
	quantity, methods, err := measurable(p.Metric, p.Rows, func(row Series) error {
		if len(row.Mean) != len(p.Panels) {
			return fmt.Errorf("viz: row %q has %d means for %d panels: give one for each", row.Name, len(row.Mean), len(p.Panels))
		}
		return nil
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
	if p.Baseline != "" && !slices.Contains(names(p.Rows), p.Baseline) {
		return fmt.Errorf("viz: no row of the dots is called %q: give the baseline the name of a row, or leave it out", p.Baseline)
	}
	if sorted := slices.Sorted(slices.Values(p.Order)); p.Order != nil && !slices.Equal(sorted, indices(len(p.Rows))) {
		return fmt.Errorf("viz: the order %d isn't one of %d rows: give each place from 0 on once, or nil", p.Order, len(p.Rows))
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

// panel draws the metric on one set of images. The first panel has the names.
func (p DotPlot) panel(at int, quantity score.Metric, methods []Series) chart {
	c := chart{
		xLabel: quantity.Label(), x: nothing(), y: span{0.4, float64(len(methods)) + 0.6}, xTicks: ticker{4, false},
		height: dotRow*vg.Length(len(methods)) + differenceRoom, width: dotPanelWidth,
	}
	order, looks := p.Order, stylesOf(methods)
	if order == nil {
		order = indices(len(methods))
	}
	var ticks plot.ConstantTicks
	for row, i := range order {
		mark := newDotMark(quantity, methods[i], at, looks[i])
		mark.y = float64(len(methods) - row)
		tick := plot.Tick{Value: mark.y, Label: " "}
		if at == 0 {
			tick.Label = letters(methods[i].Name)
			c.width = max(c.width, dotPanelWidth+textWidth(tick.Label, tickSize))
		}
		ticks, c.above, c.x = append(ticks, tick), append(c.above, mark), c.x.include(mark.values()...)
		if methods[i].Name == p.Baseline {
			c.below = append(c.below, verticalMark{x: quantity.Shown(methods[i].Mean[at])})
		}
	}
	c.x, c.yTicks, c.caption = c.x.atLeast(leastSpan(quantity)).widen(0.08), ticks, p.caption(at, methods)
	return c
}

// Sizes of a plot of dots, in points.
const (
	dotRow        = vg.Length(19)
	dotPanelWidth = vg.Length(190) // of a panel without names
)

// caption says below the first panel what the marks are and below the last what was measured.
func (p DotPlot) caption(at int, methods []Series) string {
	var parts []string
	if at == 0 && slices.ContainsFunc(methods, func(s Series) bool { return len(s.drawnSeeds()) > 2 }) {
		parts = append(parts, "small points: seeds")
	}
	if at == 0 && slices.ContainsFunc(methods, func(s Series) bool { return len(s.drawnSeeds()) == 2 }) {
		parts = append(parts, "two marks: two seeds")
	}
	if at == 0 && slices.ContainsFunc(methods, func(s Series) bool { return s.drawnStd() != nil }) {
		parts = append(parts, "bars: standard deviations over seeds")
	}
	if at == 0 && p.Baseline != "" {
		parts = append(parts, "dashed: "+letters(p.Baseline))
	}
	if test := testOf(methods); at == len(p.Panels)-1 && test != "" {
		parts = append(parts, test)
	}
	return joined(parts...)
}

// dotMark is a method's metric on one set of images, at its height.
type dotMark struct {
	y         float64
	marks     []float64 // the mean, or two seeds
	deviation []float64 // one value, or none
	each      []float64 // [seeds]
	look      style
}

// newDotMark takes the values of a panel in the unit of the axis.
func newDotMark(quantity score.Metric, s Series, at int, look style) dotMark {
	mark := dotMark{marks: []float64{quantity.Shown(s.Mean[at])}, look: look}
	if deviation := s.drawnStd(); deviation != nil {
		mark.deviation = []float64{quantity.Shown(deviation[at])}
	}
	for _, values := range s.drawnSeeds() {
		mark.each = append(mark.each, quantity.Shown(values[at]))
	}
	if len(mark.each) == 2 {
		mark.marks, mark.each = mark.each, nil
	}
	return mark
}

// values are what has a place on the axis.
func (m dotMark) values() []float64 {
	values := slices.Concat(m.marks, m.each)
	for _, deviation := range m.deviation {
		values = append(values, m.marks[0]-deviation, m.marks[0]+deviation)
	}
	return values
}

// Plot draws the bar, the seeds below the mean and the mean.
func (m dotMark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	at := func(value float64) vg.Point { return vg.Point{X: toX(value), Y: toY(m.y)} }
	for _, deviation := range m.deviation {
		paintInterval(canvas, m.look.bar(), at(m.marks[0]-deviation), at(m.marks[0]+deviation), vg.Point{Y: capWidth / 2})
	}
	paintSeeds(canvas, m.each, m.look.colour, dotRadius, at, vg.Point{Y: -dotRow / 3})
	for _, value := range m.marks {
		if holds(canvas, at(value)) {
			drawMarkerOf(differenceSize, &canvas, m.look, at(value))
		}
	}
}

// Strip holds the values of one group, such as the standard deviations of one layer's latents.
type Strip struct {
	Name   string // of the group, below its column
	Values []float64
}

// StripPlot is a quantity in several groups.
type StripPlot struct {
	Quantity string // with its unit, such as "σ of the latents"
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
	result := chart{yLabel: p.Quantity, y: nothing(), width: max(chartWidth, stripWidth*vg.Length(len(p.Strips)))}
	result.caption = "a dot for each value; bars: medians"
	result.x = span{0.4, float64(len(p.Strips)) + 0.6}
	var ticks plot.ConstantTicks
	for i, strip := range p.Strips {
		column := newColumn(float64(i+1), strip.Values, newStyle(0, 0))
		result.y = result.y.include(column.values...)
		result.above = append(result.above, column)
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
	for _, strip := range p.Strips {
		if len(strip.Values) == 0 {
			return fmt.Errorf("viz: strip %q has no values: leave it out", strip.Name)
		}
		if err := finite(strip.Name, "value", strip.Values, math.Inf(-1)); err != nil {
			return err
		}
	}
	return finite(p.ReferenceName, "reference", []float64{p.Reference}, math.Inf(-1))
}

// Sizes of a strip plot.
const (
	stripWidth = 0.62 * vg.Inch    // of a column
	dotRadius  = vg.Length(1.8)    // of a value
	dotSpread  = 0.27              // largest distance of a dot from the middle of its column, which is 1 wide
	medianHalf = 0.36              // half of the length of a median's bar
	goldenStep = 0.618033988749895 // spreads the dots of neighbouring values evenly
)

// column is one strip at its place.
type column struct {
	x      float64
	values []float64 // rising
	style  style
}

func newColumn(x float64, values []float64, look style) column {
	values = slices.Clone(values)
	slices.Sort(values)
	return column{x, values, look}
}

func (c column) median() float64 {
	middle := len(c.values) / 2
	if len(c.values)%2 == 1 {
		return c.values[middle]
	}
	return (c.values[middle-1] + c.values[middle]) / 2
}

// Plot draws the dots, then the median.
func (c column) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	pale := paleOf(c.style.colour, 0.65)
	for i, value := range c.values {
		_, share := math.Modf(float64(i+1) * goldenStep)
		at := vg.Point{X: toX(c.x + dotSpread*(2*share-1)), Y: toY(value)}
		if len(c.values) == 1 {
			at.X = toX(c.x)
		}
		if holds(canvas, at) {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: pale, Radius: dotRadius, Shape: draw.CircleGlyph{}}, at)
		}
	}
	y := toY(c.median())
	strokeWithin(canvas, draw.LineStyle{Color: ink, Width: curveWidth}, []vg.Point{{X: toX(c.x - medianHalf), Y: y}, {X: toX(c.x + medianHalf), Y: y}})
}
