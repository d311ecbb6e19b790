package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a ring and its label, in points.
const (
	ringRadius = vg.Length(6.5)
	ringLine   = vg.Length(13) // height of a line of labels
	ringGap    = vg.Length(4)  // between the line down and the label
)

// ring marks a point of a curve, with a line down to the horizontal axis and a label beside it.
type ring struct {
	x, y  float64
	label string
	line  int // of the label, counted from the axis, so that labels don't hide each other
	style style
}

// Plot draws the ring around the point's marker and the label on the side of the line that has more room.
func (r ring) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	at := vg.Point{X: toX(r.x), Y: toY(r.y)}
	line := draw.LineStyle{Color: r.style.colour, Width: axisWidth, Dashes: []vg.Length{1, 2}}
	canvas.StrokeLine2(line, at.X, at.Y-ringRadius, at.X, canvas.Min.Y)
	canvas.SetLineStyle(draw.LineStyle{Color: ink, Width: barWidth})
	canvas.Stroke(circle(at, ringRadius))
	place := vg.Point{X: at.X + ringGap, Y: canvas.Min.Y + ringLine*(vg.Length(r.line)+0.6)}
	align := draw.XLeft
	if at.X > canvas.Center().X {
		place.X, align = at.X-ringGap, draw.XRight
	}
	whiten(canvas, r.label, align, place)
	write(canvas, r.label, captionSize, ink, align, place)
}

// whiten clears what lies below a label.
func whiten(canvas draw.Canvas, label string, align draw.XAlignment, at vg.Point) {
	width := textWidth(label, captionSize)
	least := vg.Point{X: at.X + width*vg.Length(align) - 1, Y: at.Y - ringLine/2 + 1}
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Min: least, Max: least.Add(vg.Point{X: width + 2, Y: ringLine - 2})}.Path())
}

// circle returns the outline of a circle.
func circle(centre vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
	return path
}
