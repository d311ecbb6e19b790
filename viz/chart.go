package viz

import (
	"cmp"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a pair of axes with curves and a caption below. The names of its curves are at their
// ends or in a legend.
type chart struct {
	xLabel, yLabel string
	x, y           span
	xTicks, yTicks plot.Ticker    // nil: up to six intervals
	below, above   []plot.Plotter // drawn before and after the curves
	curves         []curve        // the later ones are drawn over the earlier ones
	entries        []entry        // of the legend
	right          sigmaAxis
	strip          strip     // between the legend and the axes
	caption        string    // "": none
	width, height  vg.Length // without the legend; 0 means chartWidth and chartHeight
}

// Room of the axes, in points.
const (
	axisLabelHeight = labelSize + 6 // that the label of an axis takes
	// height of the margins and the horizontal axis, next to which no label is
	labelRoom = 2*margin + vg.Length(30)
)

// add adds a curve, and its name to the legend.
func (c *chart) add(one curve, name string) {
	c.curves, c.entries = append(c.curves, one),
		append(c.entries, entry{name: name, style: one.style})
}

// addSeries adds curves at their places on the axis, the paper's below ours, and their names to the
// legend. It returns ours, to change in the chart.
func (c *chart) addSeries(quantity score.Metric, methods []Series,
	places func(Series) []float64) (ours []curve) {
	for i, look := range stylesOf(methods) {
		s, x := methods[i], places(methods[i])
		if s.Paper != nil {
			c.curves = append(c.curves, curve{x: x, y: shown(quantity, s.Paper),
				style: look.paper()})
		}
		ours, c.entries = append(ours, s.curve(quantity, x, look)),
			append(c.entries, entry{name: s.Name, style: look})
	}
	papers := len(c.curves)
	if papers > 0 {
		c.entries = append(c.entries, entry{name: paperName(methods), style: paperSample(c.curves)})
	}
	c.curves = append(c.curves, ours...)
	return c.curves[papers:]
}

// paperName returns the first name that a curve has for the paper's.
func paperName(curves []Series) string {
	for _, c := range curves {
		if c.Paper != nil && c.PaperName != "" {
			return c.PaperName
		}
	}
	return "paper"
}

// paperSample returns the style of the paper's curves in the legend: grey if they have several
// colours.
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

// drawn returns the figure of a chart, or the error of making it.
func drawn(c chart, err error) (*Figure, error) {
	if err != nil {
		return nil, err
	}
	return c.figure(), nil
}

// captionHeight is the height that a caption takes below the axes, in points.
const captionHeight vg.Length = 24

// figure lays the chart out, with the names of its curves at their ends if they fit there, or in
// a legend.
func (c chart) figure() *Figure {
	axes := c.axes()
	ends := c.endNames()
	bare, whole := c.layout(axes, nil), c.layout(axes, ends)
	axes.X.Label.TextStyle.Font.Size = fitted(c.xLabel, labelSize, whole.width-ends.room())
	names, left := c.legend(axes, ends, whole.width)
	with := whole
	with.header += names.height()
	with.paint = func(canvas draw.Canvas, header vg.Length) {
		whole.paint(canvas, header)
		names.paint(canvas, xy(canvas.Min.X+left, canvas.Max.Y-header+c.strip.height()))
	}
	return &Figure{layout: with, bare: bare, plots: []*plot.Plot{axes}, entries: c.entries}
}

// legend names the curves without a name at their end: above the axes, or above the whole width of
// the chart if that needs one line or fewer lines. It also returns the place where it begins.
func (c chart) legend(axes *plot.Plot, ends endNames, width vg.Length) (names legend,
	left vg.Length) {
	entries := slices.DeleteFunc(slices.Clone(c.entries), func(e entry) bool {
		return slices.ContainsFunc(ends, func(end endName) bool { return end.text == e.name })
	})
	if len(entries) == 0 {
		return legend{}, 0
	}
	inside := c.inside(axes, ends, width)
	names, wide := newLegend(entries, inside.Max.X-inside.Min.X), newLegend(entries, width-2*margin)
	if len(wide.lines) < len(names.lines) && (len(wide.lines) == 1 || len(names.lines) > 3) {
		return wide, margin
	}
	return names, inside.Min.X
}

// foot returns the height of the caption, which takes no room if there is none.
func (c chart) foot() vg.Length {
	if c.caption == "" {
		return 0
	}
	return captionHeight
}

// body returns the height below the header. Axes in a row have one height, with a caption or not.
func (c chart) body() vg.Length { return cmp.Or(c.height, chartHeight) - captionHeight + c.foot() }

// inside returns the place of the curves in a chart of a width, from its lower left corner.
func (c chart) inside(axes *plot.Plot, ends endNames, width vg.Length) draw.Canvas {
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: xy(width, c.body())}}
	return axes.DataCanvas(c.place(whole, 0, ends))
}

// layout lays the chart out without a legend, with names at the ends of curves, or with none.
func (c chart) layout(axes *plot.Plot, ends endNames) layout {
	l := layout{
		width:  c.width + c.right.room() + ends.room(),
		body:   c.body(),
		header: c.strip.height() + margin,
	}
	if c.width == 0 {
		l.width = chartWidth + min(l.width, sideMost)
	}
	inside := c.inside(axes, ends, l.width)
	l.middle = inside.Center().X
	l.paint = func(canvas draw.Canvas, header vg.Length) {
		place := c.place(canvas, header, ends)
		axes.Draw(place)
		inside := axes.DataCanvas(place)
		c.strip.paint(canvas, inside, axes)
		c.right.paint(canvas, inside, axes)
		ends.paint(canvas, inside, axes)
		c.paintCaption(canvas, inside)
	}
	return l
}

// place returns the part of the canvas that the axes with their labels take, between the header and
// the caption.
func (c chart) place(canvas draw.Canvas, header vg.Length, ends endNames) draw.Canvas {
	return draw.Crop(canvas, margin, -margin-c.right.room()-ends.room(), margin+c.foot(), -header)
}

// paintCaption writes the caption below the axes, centred on them if there is room; one that is
// too long has two lines.
func (c chart) paintCaption(canvas, axes draw.Canvas) {
	lines := wrapped(c.caption, tickSize, canvas.Max.X-canvas.Min.X-2*margin)
	y := canvas.Min.Y + captionHeight/2 + margin/2 + tickSize*vg.Length(len(lines)-1)/2
	for _, line := range lines {
		half := textWidth(line, tickSize) / 2
		x := max(canvas.Min.X+margin+half, min(axes.Center().X, canvas.Max.X-margin-half))
		write(canvas, line, tickSize, softInk, draw.XCenter, xy(x, y))
		y -= 1.1 * tickSize
	}
}

// axes returns the axes with light horizontal lines, the bands, the lines of seeds and above them
// all curves.
func (c chart) axes() *plot.Plot {
	axes := newAxes()
	styleAxis(&axes.X, c.xLabel, c.x, cmp.Or[plot.Ticker](c.xTicks, ticker{6, false}))
	styleAxis(&axes.Y, c.yLabel, c.y, cmp.Or[plot.Ticker](c.yTicks, ticker{6, false}))
	room := cmp.Or(c.height, chartHeight) - captionHeight - labelRoom
	if c.xLabel == "" {
		room += axisLabelHeight
	}
	axes.Y.Label.TextStyle.Font.Size = fitted(c.yLabel, labelSize, room)
	axes.Add(painter(paintRules))
	axes.Add(c.below...)
	for _, curve := range c.curves {
		axes.Add(painter(curve.paintBand), painter(curve.paintSeedLines))
	}
	for _, curve := range c.curves {
		axes.Add(curve)
	}
	axes.Add(c.above...)
	return axes
}

// withEqualUnits lowers the chart down to the least height, or widens one of the spans, so that a
// unit has the same length on both axes.
func (c chart) withEqualUnits(least vg.Length) chart {
	inside := c.inside(c.axes(), nil, chartWidth)
	width, height := float64(inside.Max.X-inside.Min.X), float64(inside.Max.Y-inside.Min.Y)
	needed := width * (c.y.high - c.y.low) / (c.x.high - c.x.low)
	lower := max(c.height-vg.Length(max(0, height-needed)), least)
	height, c.height = height-float64(c.height-lower), lower
	unit := math.Max((c.x.high-c.x.low)/width, (c.y.high-c.y.low)/height)
	around := func(s span, length float64) span {
		middle := (s.low + s.high) / 2
		return span{middle - unit*length/2, middle + unit*length/2}
	}
	c.x, c.y = around(c.x, width), around(c.y, height)
	return c
}

// newAxes returns axes without a background. Titles and legends that are added through Figure.Plots
// have the package's type.
func newAxes() *plot.Plot {
	axes := plot.New()
	axes.BackgroundColor = nil
	axes.Title.TextStyle = textStyle(labelSize, ink, draw.XCenter, draw.YTop)
	axes.Title.Padding = 4
	axes.Legend.TextStyle = textStyle(tickSize, ink, draw.XLeft, draw.YBottom)
	return axes
}

// styleAxis gives an axis its label, range and ticks in the package's type and inks.
func styleAxis(axis *plot.Axis, label string, values span, ticks plot.Ticker) {
	axis.Min, axis.Max = values.low, values.high
	axis.Label.Text = letters(label)
	axis.Label.TextStyle = textStyle(labelSize, ink, draw.XCenter, draw.YBottom)
	axis.Label.Padding = 4
	axis.LineStyle = pen(ink, axisWidth)
	axis.Padding = 0
	axis.Tick.Label = textStyle(tickSize, ink, axis.Tick.Label.XAlign, axis.Tick.Label.YAlign)
	axis.Tick.LineStyle = axis.LineStyle
	axis.Tick.Length = tickLength
	axis.Tick.Marker = ticks
}

// painter draws into axes.
type painter func(canvas draw.Canvas, axes *plot.Plot)

// Plot makes a painter a plot.Plotter.
func (p painter) Plot(canvas draw.Canvas, axes *plot.Plot) { p(canvas, axes) }

// paintRules draws light horizontal lines at the ticks of the vertical axis, except where the
// horizontal axis is.
func paintRules(canvas draw.Canvas, axes *plot.Plot) {
	style := pen(gridInk, gridWidth)
	_, toY := axes.Transforms(&canvas)
	for _, tick := range axes.Y.Tick.Marker.Ticks(axes.Y.Min, axes.Y.Max) {
		y := toY(tick.Value)
		if y <= canvas.Min.Y+axisWidth {
			continue
		}
		canvas.StrokeLine2(style, canvas.Min.X, y, canvas.Max.X, y)
	}
}
