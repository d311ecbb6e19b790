package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// slack is how far rounding may put a point of the axes outside of them, in points.
const slack = vg.Length(0.01)

// holds reports whether a point lies within the axes. A chart's own range holds all its points, but
// the range may be narrowed through Figure.Plots.
func holds(axes draw.Canvas, at vg.Point) bool {
	return at.X >= axes.Min.X-slack && at.X <= axes.Max.X+slack && at.Y >= axes.Min.Y-slack && at.Y <= axes.Max.Y+slack
}

// holdsAll reports whether all points lie within the axes.
func holdsAll(axes draw.Canvas, points []vg.Point) bool {
	for _, at := range points {
		if !holds(axes, at) {
			return false
		}
	}
	return true
}

// strokeWithin draws the part of a line that lies within the axes.
func strokeWithin(axes draw.Canvas, look draw.LineStyle, points []vg.Point) {
	if holdsAll(axes, points) {
		axes.StrokeLines(look, points)
		return
	}
	axes.StrokeLines(look, axes.ClipLinesXY(points)...)
}

// fillWithin fills the part of a polygon that lies within the axes.
func fillWithin(axes draw.Canvas, style style, outline []vg.Point) {
	colour := style.colour
	colour.A = bandOpacity
	if !holdsAll(axes, outline) {
		outline = axes.ClipPolygonXY(outline)
	}
	axes.FillPolygon(colour, outline)
}
