package viz

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spread is how a curve's standard deviation is drawn.
type spread int

const (
	bars spread = iota // an error bar at every point
	band               // a shaded band around the line
)

// curve is one line of a chart with its markers, its standard deviation or its seeds.
type curve struct {
	name      string // for its end; "": none
	x, y      []float64
	deviation []float64 // one standard deviation at each point; nil: not drawn
	spread    spread
	barShift  float64     // of the error bars, to the right, so that they don't hide each other
	each      [][]float64 // [seeds][points], drawn as thin lines
	style     style
	marks     int       // markers, evenly spread from the first point to the last; 0: none
	weight    []float64 // of each point's marker, 0 pale to 1; nil: all 1
}

// at returns the function that places point i at a number of standard deviations from its mean.
func (c curve) at(canvas *draw.Canvas, axes *plot.Plot) func(i int, deviations float64) vg.Point {
	toX, toY := axes.Transforms(canvas)
	return func(i int, deviations float64) vg.Point {
		y := c.y[i]
		if c.deviation != nil {
			y += deviations * c.deviation[i]
		}
		return xy(toX(c.x[i]), toY(y))
	}
}

// Plot draws the line, the markers and above them the error bars, so that short bars keep their
// ends.
func (c curve) Plot(canvas draw.Canvas, axes *plot.Plot) {
	at := c.at(&canvas, axes)
	points := make([]vg.Point, len(c.x))
	for i := range points {
		points[i] = at(i, 0)
	}
	strokeWithin(canvas, c.style.line(), points...)
	for _, i := range c.marked() {
		if holds(canvas, points[i]) {
			drawMarker(&canvas, c.weighted(i), points[i])
		}
	}
	if c.spread == bars {
		toX, _ := axes.Transforms(&canvas)
		shift := xy(toX(c.barShift)-toX(0), 0)
		for i := range c.deviation {
			paintInterval(canvas, c.weighted(i).bar(), at(i, -1).Add(shift), at(i, +1).Add(shift),
				xy(capWidth/2, 0))
		}
	}
}

// weighted returns the style of point i, the paler the smaller its weight.
func (c curve) weighted(i int) style {
	look := c.style
	if c.weight != nil {
		look.colour = paleOf(c.style.colour, 0.3+0.7*c.weight[i])
	}
	return look
}

// paintSeedLines draws a thin line for each seed, with the dashes of the curve.
func (c curve) paintSeedLines(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	look := draw.LineStyle{Color: paleOf(c.style.colour, 0.55), Width: seedWidth,
		Dashes: c.style.dashes}
	for _, values := range c.each {
		points := make([]vg.Point, len(values))
		for i, value := range values {
			points[i] = xy(toX(c.x[i]), toY(value))
		}
		strokeWithin(canvas, look, points...)
	}
}

// separateBars shifts the error bars of curves sideways by multiples of step where bars of two
// curves overlap. The curves themselves stay at their places.
func separateBars(curves []curve, step float64) {
	overlap := false
	for i, a := range curves {
		overlap = overlap || slices.ContainsFunc(curves[:i], a.overlaps)
	}
	for i := range curves {
		if overlap {
			curves[i].barShift = step * (float64(i) - float64(len(curves)-1)/2)
		}
	}
}

// overlaps reports whether error bars of two curves at one place overlap.
func (c curve) overlaps(other curve) bool {
	for i, deviation := range c.deviation {
		if i < len(other.deviation) && c.x[i] == other.x[i] &&
			math.Abs(c.y[i]-other.y[i]) < deviation+other.deviation[i] {
			return true
		}
	}
	return false
}

// marked returns the indices of the points that have a marker.
func (c curve) marked() []int {
	last := len(c.x) - 1
	intervals := min(c.marks-1, last)
	if intervals < 1 {
		return make([]int, min(1, c.marks))
	}
	result := make([]int, intervals+1)
	for k := range result {
		result[k] = (k*last + intervals/2) / intervals
	}
	return result
}

// paintBand shades the area within one standard deviation, for a curve with a band.
func (c curve) paintBand(canvas draw.Canvas, axes *plot.Plot) {
	if c.spread != band {
		return
	}
	at := c.at(&canvas, axes)
	outline := make([]vg.Point, 2*len(c.deviation))
	for i := range c.deviation {
		outline[i] = at(i, -1)
		outline[len(outline)-1-i] = at(i, +1)
	}
	colour := c.style.colour
	colour.A = bandOpacity
	canvas.FillPolygon(colour, canvas.ClipPolygonXY(outline))
}

// reach returns the span of the values of all curves with their deviations.
func reach(curves []curve) span {
	result := nothing()
	for _, c := range curves {
		for i, y := range c.y {
			deviation := 0.0
			if c.deviation != nil {
				deviation = c.deviation[i]
			}
			result = result.include(y-deviation, y+deviation)
		}
		for _, values := range c.each {
			result = result.include(values...)
		}
	}
	return result
}

// slack is the distance that rounding may put a point outside of the axes, in points.
const slack vg.Length = 0.01

// holds reports whether a point is within the axes. A chart's own range holds all its points, but
// the range may be narrowed through Figure.Plots.
func holds(axes draw.Canvas, at vg.Point) bool {
	return at.X >= axes.Min.X-slack && at.X <= axes.Max.X+slack && at.Y >= axes.Min.Y-slack &&
		at.Y <= axes.Max.Y+slack
}

// strokeWithin draws the part of a line within the axes.
func strokeWithin(axes draw.Canvas, look draw.LineStyle, points ...vg.Point) {
	axes.StrokeLines(look, axes.ClipLinesXY(points)...)
}
