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

// GammaCurves draws a metric, as in LevelCurves, against gamma and rings the best mean of each
// curve, with its gamma below, once for all curves that share it, unless the metric has no best
// value or the mean is of one or two seeds, where chance chooses it. The curves may have different
// gammas.
func GammaCurves(metric string, curves []Series) (*Figure, error) {
	return drawn(newGammaChart(metric, curves))
}

// newGammaChart checks the curves and places them.
func newGammaChart(metric string, curves []Series) (c chart, err error) {
	quantity, methods, err := measurable(metric, curves, func(s Series) error {
		return s.checkGammas(curves[0])
	})
	if err == nil {
		c = gammaChart(quantity, methods)
	}
	return c, err
}

// checkGammas returns an error for what doesn't fit the axis of the first of the curves.
func (s Series) checkGammas(first Series) error {
	switch {
	case s.Components < 0:
		return fmt.Errorf("viz: curve %q has %d components: give 1 or more, or 0 to draw against "+
			"gamma", s.Name, s.Components)
	case (s.Components == 0) != (first.Components == 0):
		return fmt.Errorf("viz: curves %q and %q have %d and %d components: give all of them, or "+
			"none", first.Name, s.Name, first.Components, s.Components)
	case s.Axis != first.Axis:
		return fmt.Errorf("viz: curves %q and %q have the axes %q and %q: give all of them the "+
			"same", first.Name, s.Name, first.Axis, s.Axis)
	}
	return checkPlaces(s.owner(), "gamma", s.X, len(s.Mean), zeroOrUp)
}

// perComponent returns the places of the points on the axis: gamma, or gamma / K.
func (s Series) perComponent() []float64 {
	places := slices.Clone(s.X)
	for i := range places {
		places[i] /= float64(max(1, s.Components))
	}
	return places
}

// gammaChart places the curves and names them with the gamma of their best mean.
func gammaChart(quantity score.Metric, methods []Series) chart {
	c := chart{xLabel: cmp.Or(methods[0].Axis, "gamma"), yLabel: quantity.Label(), x: nothing(),
		xTicks: ticker{7, false}}
	if methods[0].Components > 0 {
		c.xLabel = "gamma / K"
	}
	ours, marks := c.addSeries(quantity, methods, Series.perComponent), gammaMarks(methods)
	var bests rings
	for i, s := range methods {
		one := &ours[i]
		one.marks, c.x = marks, c.x.include(one.x...)
		if !quantity.NoBest && (s.Seeds == 0 || s.Seeds >= ringSeeds) {
			best := best(quantity, s.Mean)
			bests = append(bests, ring{one.x[best], one.y[best], s.ringLabel(best), one.style})
		}
	}
	separateBars(ours, 0.008*(c.x.high-c.x.low))
	c.x, c.y = c.x.widen(0.04), reach(c.curves).atLeast(leastSpan(quantity)).notNegative(
		c.curves).widen(0.07)
	c.yTicks = fromZeroTicks
	caption := ""
	if len(bests) > 0 {
		c.above = []plot.Plotter{bests}
		// room for the labels
		c.y.low -= (0.05 + 0.095*float64(len(bests.labelled()))) * (c.y.high - c.y.low)
		if caption = "rings: least mean"; quantity.HigherIsBetter {
			caption = "rings: greatest mean"
		}
	}
	c.caption = measured(caption, "error bars", methods)
	addGuess(&c, quantity, methods[0].Classes)
	return c
}

// mostMarks is the number of points up to which each has a marker: more would be a chain without a
// line.
const mostMarks = 12

// gammaMarks returns the number of markers of each curve: one for each point, or a few for all of
// long ones.
func gammaMarks(curves []Series) (longest int) {
	for _, c := range curves {
		if longest = max(longest, len(c.X)); longest > mostMarks {
			return 5
		}
	}
	return longest
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
	ringRadius vg.Length = 6.5
	ringLine   vg.Length = 13 // height of a line of labels
	ringGap    vg.Length = 4  // between the line down and the label
)

// ring is a marked point of a curve with its label.
type ring struct {
	x, y  float64
	label string
	style style
}

// rings are the marked points of a chart, each with a line down to the horizontal axis.
type rings []ring

// ringLabel returns the number of a place on the axis. An axis of gamma / K doesn't show gamma.
func (s Series) ringLabel(place int) string {
	if s.Components == 0 {
		return fmt.Sprintf("%g", s.X[place])
	}
	return fmt.Sprintf("gamma %g", s.X[place])
}

// labelled returns the rings whose labels are written, the lowest first: equal labels at one place
// once.
func (all rings) labelled() (labelled rings) {
	for _, r := range slices.SortedStableFunc(slices.Values(all), func(a, b ring) int {
		return cmp.Compare(a.y, b.y)
	}) {
		if !slices.ContainsFunc(labelled, func(other ring) bool {
			return other.x == r.x && other.label == r.label
		}) {
			labelled = append(labelled, r)
		}
	}
	return labelled
}

// Plot draws the rings around the markers, their lines, and above these the labels, one a line from
// the axis up.
func (all rings) Plot(canvas draw.Canvas, axes *plot.Plot) {
	at := placeOf(&canvas, axes)
	for _, r := range all {
		if centre := at([2]float64{r.x, r.y}); holds(canvas, centre) {
			line := draw.LineStyle{Color: r.style.colour, Width: axisWidth,
				Dashes: []vg.Length{1, 2}}
			canvas.StrokeLine2(line, centre.X, centre.Y-ringRadius, centre.X, canvas.Min.Y)
			canvas.SetLineStyle(pen(ink, barWidth))
			var circle vg.Path
			circle.Move(xy(centre.X+ringRadius, centre.Y))
			circle.Arc(centre, ringRadius, 0, 2*math.Pi)
			circle.Close()
			canvas.Stroke(circle)
		}
	}
	for line, r := range all.labelled() {
		if centre := at([2]float64{r.x, r.y}); holds(canvas, centre) {
			writeRingLabel(canvas, r.label,
				xy(centre.X, canvas.Min.Y+ringLine*(vg.Length(line)+0.6)))
		}
	}
}

// writeRingLabel writes a label next to its ring's line, where there is more room, on white.
func writeRingLabel(canvas draw.Canvas, label string, at vg.Point) {
	width, align, left := textWidth(label, tickSize), draw.XLeft, at.X+ringGap
	at.X = left
	if at.X > canvas.Center().X {
		align, at.X = draw.XRight, at.X-2*ringGap
		left = at.X - width
	}
	least := xy(left-1, at.Y-ringLine/2+1)
	fill(canvas, vg.Rectangle{Min: least, Max: least.Add(xy(width+2, ringLine-2))}, color.White)
	write(canvas, label, tickSize, ink, align, at)
}
