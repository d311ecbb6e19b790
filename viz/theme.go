package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes, in points unless said otherwise. Two charts side by side are about eight inches wide: at
// half of that, the width of a paper's column, the smallest letters are still above five points.
const (
	chartWidth   = 4 * vg.Inch
	chartHeight  = 2.9 * vg.Inch  // without the legend
	squareHeight = 3.75 * vg.Inch // of a chart whose axes are equal, without the legend
	margin       = vg.Length(6)   // around a figure

	labelSize   = vg.Length(13) // of axis labels
	tickSize    = vg.Length(12) // of tick labels, legend and the captions of images
	captionSize = vg.Length(10.5)

	curveWidth   = vg.Length(1.8)
	paperWidth   = vg.Length(1.1)
	seedWidth    = vg.Length(0.8) // of the line of one seed
	barWidth     = vg.Length(1.2)
	capWidth     = vg.Length(6) // of the ends of an error bar
	axisWidth    = vg.Length(0.8)
	gridWidth    = vg.Length(0.6)
	tickLength   = vg.Length(4)
	markerRadius = vg.Length(3)
	rimWidth     = vg.Length(0.8)

	bandOpacity = 0x48 // of 0xff
)

// paperDashes is the line pattern of the paper's curves, in points of line and gap.
var paperDashes = []vg.Length{3.5, 2}

// dottedDashes is the line pattern of reference lines.
var dottedDashes = []vg.Length{1.5, 2}

// Inks of everything that is not data.
var (
	ink     = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff} // text and axes
	softInk = color.NRGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff} // captions
	gridInk = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
)

// markers are the shapes at the points of a curve, one for each hue, all filled, so that they stay
// apart when small or without colour.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	regularPolygon(4, math.Pi/4, 1.25),
	regularPolygon(3, math.Pi/2, 1.4),
	regularPolygon(4, 0, 1.35),
	regularPolygon(3, -math.Pi/2, 1.4),
	star(5, 1.5),
	regularPolygon(5, math.Pi/2, 1.2),
	cross(0),
	cross(math.Pi / 4),
	star(4, 1.6),
}

// polygon is a filled marker given by its corners on a circle of radius one.
type polygon []vg.Point

// DrawGlyph draws the polygon around the centre.
func (p polygon) DrawGlyph(canvas *draw.Canvas, glyph draw.GlyphStyle, centre vg.Point) {
	corners := make([]vg.Point, len(p))
	for i, corner := range p {
		corners[i] = centre.Add(corner.Scale(glyph.Radius))
	}
	canvas.FillPolygon(glyph.Color, corners)
}

// regularPolygon returns a polygon with its first corner in the given direction (radians) and the
// given circumradius.
func regularPolygon(corners int, direction, radius float64) polygon {
	result := make(polygon, corners)
	for i := range result {
		result[i] = onCircle(direction+2*math.Pi*float64(i)/float64(corners), radius)
	}
	return result
}

// star returns a star with the given number of points, the first of them up.
func star(points int, radius float64) polygon {
	result := make(polygon, 2*points)
	for i := range result {
		reach := radius
		if i%2 == 1 {
			reach = 0.5 * radius
		}
		result[i] = onCircle(math.Pi/2+math.Pi*float64(i)/float64(points), reach)
	}
	return result
}

// cross returns two bars of equal length across each other, turned by an angle (radians).
func cross(angle float64) polygon {
	const end, half = 1.25, 0.4 // of a bar: its distance from the middle, and half of its width
	var result polygon
	for arm := range 4 {
		sin, cos := math.Sincos(angle + math.Pi/2*float64(arm))
		for _, corner := range [][2]float64{{end, -half}, {end, half}, {half, half}} {
			result = append(result, vg.Point{
				X: vg.Length(corner[0]*cos - corner[1]*sin), Y: vg.Length(corner[0]*sin + corner[1]*cos),
			})
		}
	}
	return result
}

// onCircle returns the point at an angle (radians, counter-clockwise from the right) on a circle
// around the origin.
func onCircle(angle, radius float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: vg.Length(radius * cos), Y: vg.Length(radius * sin)}
}

// fill fills a rectangle.
func fill(canvas draw.Canvas, place vg.Rectangle, colour color.Color) {
	canvas.SetColor(colour)
	canvas.Fill(place.Path())
}

// drawMarker draws a curve's marker with a white rim that sets it off from lines behind it.
func drawMarker(canvas *draw.Canvas, s style, at vg.Point) { drawMarkerOf(markerRadius, canvas, s, at) }

func drawMarkerOf(radius vg.Length, canvas *draw.Canvas, s style, at vg.Point) {
	if s.marker == nil {
		return
	}
	canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: radius + rimWidth, Shape: s.marker}, at)
	canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: s.colour, Radius: radius, Shape: s.marker}, at)
}
