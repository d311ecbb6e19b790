package viz

import (
	"fmt"
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
