package viz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a pair of axes with curves, a legend above and a caption below.
type chart struct {
	xLabel, yLabel string
	x, y           span
	xTicks, yTicks []plot.Tick
	curves         []curve // the later ones are drawn over the earlier ones
	entries        []entry
	caption        string // "": none
}

// captionHeight is the height that a caption takes below the axes, in points.
const captionHeight = vg.Length(20)

// figure lays the chart out.
func (c chart) figure() *Figure {
	axes := c.axes()
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: chartWidth, Y: chartHeight}}}
	inside := axes.DataCanvas(axesPlace(whole, 0))
	names := newLegend(c.entries, inside.Max.X-inside.Min.X)
	return &Figure{width: chartWidth, body: chartHeight, header: names.height() + margin, paint: func(canvas draw.Canvas, header vg.Length) {
		place := axesPlace(canvas, header)
		axes.Draw(place)
		inside := axes.DataCanvas(place)
		names.paint(canvas, vg.Point{X: inside.Min.X, Y: place.Max.Y})
		c.paintCaption(canvas, inside)
	}}
}

// paintCaption writes the caption below the axes, centred on them where there is room.
func (c chart) paintCaption(canvas, axes draw.Canvas) {
	half := textWidth(c.caption, captionSize) / 2
	at := vg.Point{X: min(axes.Center().X, canvas.Max.X-margin-half), Y: canvas.Min.Y + captionHeight/2 + margin/2}
	write(canvas, c.caption, captionSize, softInk, draw.XCenter, at)
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
	for _, curve := range c.curves {
		axes.Add(shade(curve))
	}
	for _, curve := range c.curves {
		axes.Add(curve)
	}
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
