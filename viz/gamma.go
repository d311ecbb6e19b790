package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// GammaCurves draws a metric, one of those of LevelCurves, against gamma and rings the best mean of
// each curve, with its gamma below, unless the metric has no best value or the mean is of one or two
// seeds, where chance chooses it. The curves may have different gammas.
func GammaCurves(metric string, curves []GammaCurve) (*Figure, error) {
	return drawn(newGammaChart(metric, curves))
}

// newGammaChart checks the curves and places them.
func newGammaChart(metric string, curves []GammaCurve) (chart, error) {
	quantity, methods, err := measurable(metric, curves, func(s Series) error { return s.checkGammas(curves[0]) })
	if err != nil {
		return chart{}, err
	}
	return gammaChart(quantity, methods), nil
}

// checkGammas returns an error for what doesn't fit the axis of the first of the curves.
func (s Series) checkGammas(first Series) error {
	switch {
	case s.Components < 0:
		return fmt.Errorf("viz: curve %q has %d components: give 1 or more, or 0 to draw against gamma", s.Name, s.Components)
	case (s.Components == 0) != (first.Components == 0):
		return fmt.Errorf("viz: curves %q and %q have %d and %d components: give all of them, or none", first.Name, s.Name, first.Components, s.Components)
	case s.Axis != first.Axis:
		return fmt.Errorf("viz: curves %q and %q have the axes %q and %q: give all of them the same", first.Name, s.Name, first.Axis, s.Axis)
	}
	return checkPlaces(s.Name, "gamma", s.X, len(s.Mean), span{0, math.Inf(1)})
}

// perComponent returns the places of the points on the axis: gamma, or gamma / K.
func (s Series) perComponent() []float64 {
	places := slices.Clone(s.X)
	for i := range places {
		places[i] /= float64(max(1, s.Components))
	}
	return places
}

// gammaChart places the curves, the paper's below ours, and names them with the gamma of their best
// mean.
func gammaChart(quantity score.Metric, methods []Series) chart {
	looks := stylesOf(methods)
	c := chart{xLabel: cmp.Or(methods[0].Axis, "gamma"), yLabel: quantity.Label(), x: nothing()}
	if methods[0].Components > 0 {
		c.xLabel = "gamma / K"
	}
	var ours []curve
	marks := gammaMarks(methods)
	for i, s := range methods {
		x := s.perComponent()
		c.x = c.x.include(x...)
		if s.Paper != nil {
			c.curves = append(c.curves, curve{x: x, y: shown(quantity, s.Paper), style: looks[i].paper()})
		}
		one := s.curve(quantity, x, looks[i])
		one.marks = marks
		ours = append(ours, one)
		if quantity.HasBest() && (s.Seeds == 0 || s.Seeds >= ringSeeds) {
			best := best(quantity, s.Mean)
			c.above = append(c.above, ring{x[best], one.y[best], fmt.Sprintf("%s %g", cmp.Or(s.Axis, "gamma"), s.X[best]), len(c.above), looks[i]})
		}
		c.entries = append(c.entries, entry{name: s.Name, style: looks[i]})
	}
	if len(c.curves) > 0 {
		c.entries = append(c.entries, entry{name: "paper", style: paperSample(c.curves)})
	}
	separateBars(ours, 0.008*(c.x.high-c.x.low))
	c.curves = append(c.curves, ours...)
	c.x, c.y = c.x.widen(0.04), reach(c.curves).atLeast(leastSpan(quantity)).widen(0.07)
	c.xTicks = ticker{7, false}
	if c.caption = measured("", "error bars", methods); len(c.above) > 0 {
		c.y.low -= (0.05 + 0.095*float64(len(c.above))) * (c.y.high - c.y.low) // room for the labels of the rings
		c.caption = measured(ringCaption(quantity), "error bars", methods)
	}
	addGuess(&c, quantity, methods[0].Classes)
	return c
}

// mostMarks is the number of points up to which each has a marker: more would be a chain without a
// line.
const mostMarks = 12

// gammaMarks returns the number of markers of each curve: one for each point, or a few for all of
// long ones.
func gammaMarks(curves []Series) int {
	longest := 0
	for _, c := range curves {
		longest = max(longest, len(c.X))
	}
	if longest > mostMarks {
		return 5
	}
	return longest
}

func ringCaption(quantity score.Metric) string {
	if quantity.HigherIsBetter {
		return "rings: greatest mean"
	}
	return "rings: least mean"
}

// best returns the place of the first of the best values.
func best(quantity score.Metric, values []float64) (place int) {
	for i, value := range values {
		if quantity.Better(value, values[place]) {
			place = i
		}
	}
	return place
}

// ringSeeds is the number of seeds from which on the best mean has a ring.
const ringSeeds = 3

// Sizes of a ring and its label, in points.
const (
	ringRadius = vg.Length(6.5)
	ringLine   = vg.Length(13) // height of a line of labels
	ringGap    = vg.Length(4)  // between the line down and the label
)

// ring marks a point of a curve, with a line down to the horizontal axis and a label.
type ring struct {
	x, y  float64
	label string
	line  int // of the label, counted from the axis, so that labels don't hide each other
	style style
}

// Plot draws the ring around the point's marker and the label on the side of the line that has more
// room.
func (r ring) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	at := vg.Point{X: toX(r.x), Y: toY(r.y)}
	if !holds(canvas, at) {
		return
	}
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
	fill(canvas, vg.Rectangle{Min: least, Max: least.Add(vg.Point{X: width + 2, Y: ringLine - 2})}, color.White)
}

func circle(centre vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
	return path
}
