package viz

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mark is a mean with its interval and its seeds. They lie along the horizontal axis at one height, or
// upright at one place of the horizontal axis.
type mark struct {
	place    float64 // on the axis across
	upright  bool
	means    []float64
	interval []float64 // its two ends; nil: none
	seeds    []float64 // drawn as dots
	paper    *float64  // drawn as a diamond; nil: none
	look     style
	bar      draw.LineStyle // of the interval
	dot      vg.Length      // radius; 0: dotRadius
	aside    vg.Length      // of the dots from the means, across
}

// Sizes of a mark, in points.
const (
	meanRadius = vg.Length(4)
	dotRadius  = vg.Length(1.8) // of a value
)

// paperMark is the look of the paper's values.
var paperMark = style{colour: softInk, marker: markers[3]}

// values are what has a place on the axis.
func (m mark) values() []float64 {
	values := slices.Concat(m.means, m.seeds, m.interval)
	if m.paper != nil {
		values = append(values, *m.paper)
	}
	return values
}

// Plot draws the interval, the seeds, the paper's value and the means.
func (m mark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	across, at := vg.Point{Y: 1}, func(value float64) vg.Point { return vg.Point{X: toX(value), Y: toY(m.place)} }
	if m.upright {
		across, at = vg.Point{X: 1}, func(value float64) vg.Point { return vg.Point{X: toX(m.place), Y: toY(value)} }
	}
	if m.interval != nil {
		paintInterval(canvas, m.bar, at(m.interval[0]), at(m.interval[1]), across.Scale(capWidth/2))
	}
	for _, seed := range m.seeds {
		paintDot(canvas, m.look.colour, cmp.Or(m.dot, dotRadius), at(seed).Add(across.Scale(m.aside)))
	}
	if m.paper != nil {
		paintMean(canvas, paperMark, at(*m.paper))
	}
	for _, mean := range m.means {
		paintMean(canvas, m.look, at(mean))
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
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: radius, Shape: draw.CircleGlyph{}}, at)
	}
}

// paintInterval draws the line between the ends of an interval, with caps of the given half.
func paintInterval(canvas draw.Canvas, look draw.LineStyle, low, high, half vg.Point) {
	strokeWithin(canvas, look, []vg.Point{low, high})
	for _, end := range []vg.Point{low, high} {
		strokeWithin(canvas, look, []vg.Point{end.Sub(half), end.Add(half)})
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
