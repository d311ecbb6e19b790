package viz

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"math"
	"regexp"

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
			result = append(result, vg.Point{
				X: vg.Length(corner[0]*cos - corner[1]*sin),
				Y: vg.Length(corner[0]*sin + corner[1]*cos),
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

// colourPattern matches the colours that a curve may have.
var colourPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// parseColour reads a colour "#0067a8": red, green and blue, each from 00 to ff.
func parseColour(text string) (color.NRGBA, error) {
	if !colourPattern.MatchString(text) {
		return color.NRGBA{}, fmt.Errorf("viz: %q is no colour: give red, green and blue as in "+
			"#0067a8, each from 00 to ff", text)
	}
	rgb, err := hex.DecodeString(text[1:])
	return color.NRGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 0xff}, err
}

// CheckColour returns an error unless a text is a colour that a curve may have, as "#0067a8".
func CheckColour(text string) error {
	_, err := parseColour(text)
	return err
}

// luminance returns the relative luminance of a colour, 0 to 1.
func luminance(c color.NRGBA) float64 {
	linear := func(value uint8) float64 {
		share := float64(value) / 255
		if share <= 0.04045 {
			return share / 12.92
		}
		return math.Pow((share+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens
// throughout, so that it keeps its order in grey; the diverging one is palest in the middle.
var (
	sequential = ramp{
		{R: 0xf3, G: 0xf7, B: 0xfa, A: 0xff},
		{R: 0x9f, G: 0xcd, B: 0xe9, A: 0xff},
		{R: 0x2d, G: 0x8b, B: 0xc4, A: 0xff},
		{R: 0x0b, G: 0x4f, B: 0x86, A: 0xff},
		{R: 0x0a, G: 0x24, B: 0x45, A: 0xff},
	}
	// rising is for lines on white: its palest colour has a contrast of 3:1.
	rising = ramp{
		{R: 0x2e, G: 0x9c, B: 0x8f, A: 0xff},
		{R: 0x1f, G: 0x78, B: 0xa8, A: 0xff},
		{R: 0x23, G: 0x50, B: 0x8f, A: 0xff},
		{R: 0x1b, G: 0x1e, B: 0x4b, A: 0xff},
	}
	// rampsOfFamilies are for lines of several methods with the same values of a quantity.
	rampsOfFamilies = []ramp{rising, {
		{R: 0xd9, G: 0x7a, B: 0x06, A: 0xff},
		{R: 0xc2, G: 0x41, B: 0x0c, A: 0xff},
		{R: 0x8a, G: 0x1c, B: 0x10, A: 0xff},
	}, {
		{R: 0xc7, G: 0x6d, B: 0xc4, A: 0xff},
		{R: 0x93, G: 0x3a, B: 0xa6, A: 0xff},
		{R: 0x56, G: 0x14, B: 0x70, A: 0xff},
	}, {
		{R: 0x7a, G: 0x8f, B: 0x0a, A: 0xff},
		{R: 0x4d, G: 0x66, B: 0x0a, A: 0xff},
		{R: 0x26, G: 0x3a, B: 0x08, A: 0xff},
	}}
	// severe is for points of the severities 1 to 5, each of another hue.
	severe = ramp{
		{R: 0xc9, G: 0x85, B: 0x00, A: 0xff},
		{R: 0xd6, G: 0x45, B: 0x0f, A: 0xff},
		{R: 0xb5, G: 0x17, B: 0x7e, A: 0xff},
		{R: 0x5f, G: 0x1f, B: 0xa0, A: 0xff},
		{R: 0x0c, G: 0x06, B: 0x20, A: 0xff},
	}
	diverging = ramp{
		{R: 0x00, G: 0x52, B: 0x8f, A: 0xff},
		{R: 0x56, G: 0xa5, B: 0xd6, A: 0xff},
		{R: 0xf7, G: 0xf7, B: 0xf7, A: 0xff},
		{R: 0xee, G: 0x94, B: 0x4d, A: 0xff},
		{R: 0xb0, G: 0x46, B: 0x00, A: 0xff},
	}
)

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
	return ramp{{R: 0xff, G: 0xff, B: 0xff, A: 0xff}, c}.at(strength)
}

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with
// the stronger contrast.
func inkOn(c color.NRGBA) color.Color {
	if luminance(c) < 0.2 {
		return color.White
	}
	return ink
}
