package viz

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// effectGlyph is the mark of a mean: a disc, or a ring.
type effectGlyph struct{ hollow bool }

// DrawGlyph draws the mark around a point.
func (g effectGlyph) DrawGlyph(canvas *draw.Canvas, glyph draw.GlyphStyle, at vg.Point) {
	draw.CircleGlyph{}.DrawGlyph(canvas, glyph, at)
	if g.hollow && glyph.Color != color.White { // the rim around a marker is drawn as a white one
		glyph.Radius = max(0, glyph.Radius-effectWidth)
		canvas.SetColor(color.White)
		draw.CircleGlyph{}.DrawGlyph(canvas, glyph, at)
	}
}

// zeroLine is a bold line at zero, with words on its two sides, which begin at the left or end at the
// right.
type zeroLine struct {
	above, below           string
	aboveRight, belowRight bool
}

// Plot draws the line where zero is within the axes, and the words at the top and the bottom.
func (z zeroLine) Plot(canvas draw.Canvas, axes *plot.Plot) {
	_, toY := axes.Transforms(&canvas)
	left, line := vg.Point{X: canvas.Min.X, Y: toY(0)}, draw.LineStyle{Color: ink, Width: 2 * axisWidth}
	strokeWithin(canvas, line, []vg.Point{left, {X: canvas.Max.X, Y: left.Y}})
	z.write(canvas, z.above, z.aboveRight, canvas.Max.Y-captionSize/2)
	z.write(canvas, z.below, z.belowRight, canvas.Min.Y+captionSize)
}

// write writes words at a height.
func (zeroLine) write(canvas draw.Canvas, words string, right bool, y vg.Length) {
	if right {
		write(canvas, words, captionSize, sideInk, draw.XRight, vg.Point{X: canvas.Max.X - margin, Y: y})
		return
	}
	write(canvas, words, captionSize, sideInk, draw.XLeft, vg.Point{X: canvas.Min.X + margin, Y: y})
}

// sideInk is the ink of the words at the sides of zero.
var sideInk = color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}

// levelEffects are the differences of one series at their levels, moved sideways by a part of a
// level.
type levelEffects struct {
	levels []Difference
	look   style
	shift  float64
}

// Plot draws the bars, the dots of the seeds and above them the means.
func (e levelEffects) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	for level, d := range e.levels {
		x := toX(float64(level) + e.shift)
		at := func(value float64) vg.Point { return vg.Point{X: x, Y: toY(value)} }
		if d.Interval == nil {
			paintSeeds(canvas, d.Each, e.look.colour, aloneRadius, at, vg.Point{})
			continue
		}
		line := draw.LineStyle{Color: e.look.colour, Width: effectWidth}
		paintInterval(canvas, line, at(d.Interval[0]), at(d.Interval[1]), vg.Point{X: capWidth / 2})
		outwards := -seedShift
		if e.shift > 0 {
			outwards = seedShift
		}
		paintSeeds(canvas, d.Each, e.look.colour, dotRadius, at, vg.Point{X: outwards})
		if mean := at(d.Mean); holds(canvas, mean) {
			drawMarkerOf(differenceSize, &canvas, style{colour: e.look.colour, marker: effectGlyph{hollow: !d.decided()}}, mean)
		}
	}
}

// decided reports whether the interval excludes zero.
func (d Difference) decided() bool {
	return d.Interval != nil && cmp.Compare(d.Interval[0], 0)*cmp.Compare(d.Interval[1], 0) > 0
}
