package viz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spread says how the standard deviation of a curve is drawn.
type spread int

const (
	bars spread = iota // an error bar at every point
	band               // a shaded band around the line
)

// curve is one line of a chart with its markers and its standard deviation.
type curve struct {
	x, y      []float64
	deviation []float64 // one standard deviation at each point; nil: not drawn
	spread    spread
	style     style
	marks     int // markers, evenly spread from the first point to the last; 0: none
}

// at returns the function that places point i at a number of standard deviations from its mean.
func (c curve) at(canvas *draw.Canvas, axes *plot.Plot) func(i int, deviations float64) vg.Point {
	toX, toY := axes.Transforms(canvas)
	return func(i int, deviations float64) vg.Point {
		y := c.y[i]
		if c.deviation != nil {
			y += deviations * c.deviation[i]
		}
		return vg.Point{X: toX(c.x[i]), Y: toY(y)}
	}
}

// Plot draws the line, the markers and above them the error bars, so that short bars keep their ends.
func (c curve) Plot(canvas draw.Canvas, axes *plot.Plot) {
	at := c.at(&canvas, axes)
	points := make([]vg.Point, len(c.x))
	for i := range points {
		points[i] = at(i, 0)
	}
	canvas.StrokeLines(c.style.line(), points)
	for _, i := range c.marked() {
		drawMarker(&canvas, c.style, points[i])
	}
	if c.spread == bars {
		for i := range c.deviation {
			c.paintBar(canvas, at(i, -1), at(i, +1))
		}
	}
}

// paintBar draws an error bar between two points, one above the other, with caps.
func (c curve) paintBar(canvas draw.Canvas, low, high vg.Point) {
	half := capWidth / 2
	canvas.StrokeLine2(c.style.bar(), low.X, low.Y, high.X, high.Y)
	canvas.StrokeLine2(c.style.bar(), low.X-half, low.Y, low.X+half, low.Y)
	canvas.StrokeLine2(c.style.bar(), high.X-half, high.Y, high.X+half, high.Y)
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

// shade is the band of a curve. All bands of a chart lie below all lines.
type shade curve

// Plot shades the area within one standard deviation, for a curve with a band.
func (s shade) Plot(canvas draw.Canvas, axes *plot.Plot) {
	if s.spread != band {
		return
	}
	at := curve(s).at(&canvas, axes)
	outline := make([]vg.Point, 2*len(s.deviation))
	for i := range s.deviation {
		outline[i] = at(i, -1)
		outline[len(outline)-1-i] = at(i, +1)
	}
	colour := s.style.colour
	colour.A = bandOpacity
	canvas.FillPolygon(colour, outline)
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
	}
	return result
}
