package viz

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/check"
)

// Sizes, in points unless said otherwise. Two charts side by side are about eight inches wide: at
// half of that, the width of a paper's column, the smallest letters are still above five points.
const (
	chartWidth             = 4 * vg.Inch
	chartHeight            = 2.9 * vg.Inch  // without the legend
	squareHeight           = 3.75 * vg.Inch // of a chart whose axes are equal, without the legend
	margin       vg.Length = 6              // around a figure

	labelSize vg.Length = 13 // of axis labels
	tickSize  vg.Length = 12 // of all other text of a chart

	curveWidth   vg.Length = 1.8
	paperWidth   vg.Length = 1.1
	seedWidth    vg.Length = 0.8 // of the line of one seed
	barWidth     vg.Length = 1.2
	capWidth     vg.Length = 6 // of the ends of an error bar
	axisWidth    vg.Length = 0.8
	gridWidth    vg.Length = 0.6
	tickLength   vg.Length = 4
	markerRadius vg.Length = 3
	rimWidth     vg.Length = 0.8

	bandOpacity = 0x48 // of 0xff
)

// paperDashes is the line pattern of the paper's curves, in points of line and gap.
var paperDashes = []vg.Length{3.5, 2}

// dottedDashes is the line pattern of reference lines.
var dottedDashes = []vg.Length{1.5, 2}

// Inks of everything that is not data.
var (
	ink     = rgb(0x1a1a1a) // text and axes
	softInk = rgb(0x555555) // captions
	gridInk = rgb(0xe4e4e4)
)

// markers are the shapes at the points of a curve, one for each hue, all filled, so that they stay
// apart when small or without colour.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	newPolygon(4, math.Pi/4, 1.25),
	newPolygon(3, math.Pi/2, 1.4),
	newPolygon(4, 0, 1.35),
	newPolygon(3, -math.Pi/2, 1.4),
	star(5, 1.5),
	newPolygon(5, math.Pi/2, 1.2),
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

// newPolygon returns a polygon with its first corner in the given direction (radians). The
// distances of its corners from the centre take turns.
func newPolygon(corners int, direction float64, distances ...float64) polygon {
	result := make(polygon, corners)
	for i := range result {
		result[i] = onCircle(direction+2*math.Pi*float64(i)/float64(corners),
			distances[i%len(distances)])
	}
	return result
}

// star returns a star with the given number of points, the first of them up.
func star(points int, radius float64) polygon {
	return newPolygon(2*points, math.Pi/2, radius, radius/2)
}

// cross returns two bars of equal length across each other, turned by an angle (radians).
func cross(angle float64) polygon {
	const end, half = 1.25, 0.4 // of a bar: its distance from the middle, and half of its width
	var result polygon
	for arm := range 4 {
		sin, cos := math.Sincos(angle + math.Pi/2*float64(arm))
		for _, corner := range [][2]float64{{end, -half}, {end, half}, {half, half}} {
			result = append(result, xy(
				vg.Length(corner[0]*cos-corner[1]*sin),
				vg.Length(corner[0]*sin+corner[1]*cos)))
		}
	}
	return result
}

// onCircle returns the point at an angle (radians, counter-clockwise from the right) on a circle
// around the origin.
func onCircle(angle, radius float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return xy(vg.Length(radius*cos), vg.Length(radius*sin))
}

// xy returns a point.
func xy(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

// pen returns a line without dashes.
func pen(colour color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: colour, Width: width}
}

// fill fills a rectangle.
func fill(canvas draw.Canvas, place vg.Rectangle, colour color.Color) {
	canvas.SetColor(colour)
	canvas.Fill(place.Path())
}

// drawMarker draws a curve's marker with a white rim that sets it off from lines behind it.
func drawMarker(canvas *draw.Canvas, s style, at vg.Point) {
	drawMarkerOf(markerRadius, canvas, s, at)
}

func drawMarkerOf(radius vg.Length, canvas *draw.Canvas, s style, at vg.Point) {
	if s.marker == nil {
		return
	}
	canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: radius + rimWidth,
		Shape: s.marker}, at)
	canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: s.colour, Radius: radius, Shape: s.marker}, at)
}

// rgb returns the colour 0xrrggbb.
func rgb(hex uint32) color.NRGBA { return seeThrough(hex, 0xff) }

// seeThrough returns the colour 0xrrggbb with an opacity of 0 to 0xff.
func seeThrough(hex uint32, opacity uint8) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: opacity}
}

// parseColour reads a colour "#0067a8": red, green and blue, each from 00 to ff.
func parseColour(text string) (color.NRGBA, error) {
	if err := check.Colour(text); err != nil {
		return color.NRGBA{}, fmt.Errorf("viz: %w", err)
	}
	value, err := strconv.ParseUint(text[1:], 16, 32)
	return rgb(uint32(value)), err
}

// luminance returns the relative luminance of a colour, 0 to 1.
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// linear returns the light of a part of a colour, 0 to 1.
func linear(value uint8) float64 {
	share := float64(value) / 255
	if share <= 0.04045 {
		return share / 12.92
	}
	return math.Pow((share+0.055)/1.055, 2.4)
}

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens
// throughout, so that it keeps its order in grey; the diverging one is palest in the middle.
var (
	sequential = newRamp(0xf3f7fa, 0x9fcde9, 0x2d8bc4, 0x0b4f86, 0x0a2445)
	// rising is for lines on white: its palest colour has a contrast of 3:1.
	rising = newRamp(0x009cb0, 0x1f78a8, 0x23508f, 0x1b1e4b)
	// rampsOfFamilies are for lines of several methods with the same values of a quantity.
	rampsOfFamilies = []ramp{
		rising,
		newRamp(0xd97a06, 0xc2410c, 0x8a1c10),
		newRamp(0xc76dc4, 0x933aa6, 0x561470),
		newRamp(0x7a8f0a, 0x4d660a, 0x263a08),
	}
	// severe is for points of the severities 1 to 5, each of another hue.
	severe    = newRamp(0xc98500, 0xd6450f, 0xb5177e, 0x5f1fa0, 0x0c0620)
	diverging = newRamp(0x00528f, 0x56a5d6, 0xf7f7f7, 0xee944d, 0xb04600)
)

// newRamp returns a ramp of colours 0xrrggbb.
func newRamp(colours ...uint32) (r ramp) {
	for _, colour := range colours {
		r = append(r, rgb(colour))
	}
	return r
}

// at returns the colour at a place from 0 to 1.
func (r ramp) at(place float64) color.NRGBA {
	last := len(r) - 1
	place = math.Max(0, math.Min(1, place)) * float64(last)
	left := min(int(place), last-1)
	part := place - float64(left)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a)*(1-part) + float64(b)*part))
	}
	a, b := r[left], r[left+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// paleOf returns a colour mixed with white, 0 white to 1 as it is.
func paleOf(c color.NRGBA, strength float64) color.NRGBA {
	return ramp{rgb(0xffffff), c}.at(strength)
}

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with
// the stronger contrast.
func inkOn(c color.NRGBA) color.Color {
	if luminance(c) < 0.2 {
		return color.White
	}
	return ink
}
