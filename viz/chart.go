package viz

import (
	"cmp"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a pair of axes with curves, a legend above and a caption below.
type chart struct {
	xLabel, yLabel string
	x, y           span
	xTicks, yTicks []plot.Tick
	below, above   []plot.Plotter // drawn before and after the curves
	curves         []curve        // the later ones are drawn over the earlier ones
	entries        []entry
	strip          strip     // between the legend and the axes
	caption        string    // "": none
	width, height  vg.Length // without the legend; 0 means chartWidth and chartHeight
}

// captionHeight is the height that a caption takes below the axes, in points.
const captionHeight = vg.Length(20)

// figure lays the chart out with its legend.
func (c chart) figure() *Figure {
	bare := c.bare()
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: bare.width, Y: bare.body}}}
	inside := c.axes().DataCanvas(axesPlace(whole, 0))
	names, left := c.legend(inside)
	whole.Min.X, whole.Max.X = inside.Min.X, inside.Max.X
	bare.middle = whole.Center().X
	return &Figure{
		width: bare.width, body: bare.body, header: bare.header + names.height(),
		middle: bare.middle, entries: c.entries, bare: bare,
		paint: func(canvas draw.Canvas, header vg.Length) {
			bare.paint(canvas, header)
			names.paint(canvas, vg.Point{X: canvas.Min.X + left, Y: canvas.Max.Y - header + c.strip.height()})
		},
	}
}

// legend names the curves above the axes, or above the whole width of the chart where that sets them in one line or saves
// lines of many, and returns where it begins.
func (c chart) legend(inside draw.Canvas) (names legend, left vg.Length) {
	names = newLegend(c.entries, inside.Max.X-inside.Min.X)
	wide := newLegend(c.entries, cmp.Or(c.width, chartWidth)-2*margin)
	if len(wide.lines) < len(names.lines) && (len(wide.lines) == 1 || len(names.lines) > 3) {
		return wide, margin
	}
	return names, inside.Min.X
}

// bare lays the chart out without its legend.
func (c chart) bare() *Figure {
	width, body := cmp.Or(c.width, chartWidth), cmp.Or(c.height, chartHeight)
	return &Figure{width: width, body: body, header: c.strip.height() + margin, paint: func(canvas draw.Canvas, header vg.Length) {
		place, axes := axesPlace(canvas, header), c.axes()
		axes.Draw(place)
		inside := axes.DataCanvas(place)
		c.strip.paint(canvas, inside, axes)
		c.paintCaption(canvas, inside)
	}}
}

// paintCaption writes the caption below the axes, centred on them where there is room and smaller where it is too long.
func (c chart) paintCaption(canvas, axes draw.Canvas) {
	size := fitted(c.caption, captionSize, canvas.Max.X-canvas.Min.X-2*margin)
	half := textWidth(c.caption, size) / 2
	at := vg.Point{X: min(axes.Center().X, canvas.Max.X-margin-half), Y: canvas.Min.Y + captionHeight/2 + margin/2}
	write(canvas, c.caption, size, softInk, draw.XCenter, at)
}

// axesPlace returns the part of the canvas that the axes with their labels take, between the header and the caption.
// A chart without a caption leaves its place free, so that axes in a row have one height.
func axesPlace(canvas draw.Canvas, header vg.Length) draw.Canvas {
	return draw.Crop(canvas, margin, -margin, margin+captionHeight, -header)
}

// axes returns the axes with light horizontal lines, the bands and above them all curves.
func (c chart) axes() *plot.Plot {
	axes := plot.New()
	axes.BackgroundColor = nil
	styleAxis(&axes.X, c.xLabel, c.x, c.xTicks)
	styleAxis(&axes.Y, c.yLabel, c.y, c.yTicks)
	axes.Add(rules(c.yTicks))
	axes.Add(c.below...)
	for _, curve := range c.curves {
		axes.Add(shade(curve))
	}
	for _, curve := range c.curves {
		axes.Add(curve)
	}
	axes.Add(c.above...)
	return axes
}

// styleAxis gives an axis its label, range and ticks in the package's type and inks.
func styleAxis(axis *plot.Axis, label string, values span, ticks []plot.Tick) {
	axis.Min, axis.Max = values.low, values.high
	axis.Label.Text = label
	axis.Label.TextStyle = textStyle(labelSize, ink, draw.XCenter, draw.YBottom)
	axis.Label.Padding = 4
	axis.LineStyle = draw.LineStyle{Color: ink, Width: axisWidth}
	axis.Padding = 0
	axis.Tick.Label = textStyle(tickSize, ink, axis.Tick.Label.XAlign, axis.Tick.Label.YAlign)
	axis.Tick.LineStyle = axis.LineStyle
	axis.Tick.Length = tickLength
	axis.Tick.Marker = plot.ConstantTicks(ticks)
}

// rules are light horizontal lines at the ticks of the vertical axis.
type rules []plot.Tick

// Plot draws the lines across the whole width, except where the horizontal axis is.
func (r rules) Plot(canvas draw.Canvas, axes *plot.Plot) {
	style := draw.LineStyle{Color: gridInk, Width: gridWidth}
	_, toY := axes.Transforms(&canvas)
	for _, tick := range r {
		y := toY(tick.Value)
		if y <= canvas.Min.Y+axisWidth {
			continue
		}
		canvas.StrokeLine2(style, canvas.Min.X, y, canvas.Max.X, y)
	}
}
