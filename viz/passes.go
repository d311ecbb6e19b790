package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// AgainstPasses draws a metric against the forward passes that predict an image, on a logarithmic
// axis, and the Pareto front: the methods to which no other is equal or better in both with one of
// them better. Their points have a ring. The front is drawn for the means; a metric without a best
// value has none.
func AgainstPasses(metric string, points []Series) (*Figure, error) {
	quantity, methods, err := measurable(metric, points, func(s Series) error {
		if len(s.X) != 1 || len(s.Mean) != 1 || s.X[0] < 1 {
			return fmt.Errorf("viz: %s predicts with %v passes and has %d values: give 1 or more "+
				"passes, and a value", s.Name, s.X, len(s.Mean))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return passesChart(quantity, methods).figure(), nil
}

// onFront reports of each point whether no other is equal or better in both passes and mean with
// one of them better.
func onFront(quantity score.Metric, points []Series) []bool {
	front := make([]bool, len(points))
	for i, p := range points {
		front[i] = !quantity.NoBest && !slices.ContainsFunc(points, func(other Series) bool {
			better := other.X[0] < p.X[0] || quantity.Better(other.Mean[0], p.Mean[0])
			return better && other.X[0] <= p.X[0] && !quantity.Better(p.Mean[0], other.Mean[0])
		})
	}
	return front
}

// passesChart places the points; equal passes are side by side.
func passesChart(quantity score.Metric, methods []Series) chart {
	looks, places, front := stylesOf(methods), apart(methods), onFront(quantity, methods)
	c := chart{
		xLabel: "forward passes of a prediction", yLabel: quantity.Label(), x: nothing(),
		caption: passesCaption(methods),
		xTicks:  plot.TickerFunc(powerTicks),
	}
	var best, steps paretoFront
	for i, s := range methods {
		dot := s.curve(quantity, []float64{places[i]}, looks[i])
		c.curves, c.x = append(c.curves, dot), c.x.include(places[i])
		c.below = append(c.below, painter(dot.paintSeedDots))
		c.entries = append(c.entries, entry{name: s.Name, style: style{colour: looks[i].colour,
			marker: looks[i].marker}})
		if front[i] {
			best = append(best, dot)
			// of all points with these passes, none of which is below
			left := math.Log2(s.X[0]) - (besideReach+besideStep)/2
			steps = append(steps, s.curve(quantity, []float64{left}, looks[i]))
		}
	}
	slices.SortStableFunc(steps, func(a, b curve) int { return cmp.Compare(a.x[0], b.x[0]) })
	if !quantity.NoBest {
		c.below = append([]plot.Plotter{painter(steps.paintSteps)}, c.below...)
		c.above = append(c.above, painter(best.paintRings))
		c.entries = append(c.entries, entry{name: "Pareto front", style: frontStyle})
	}
	c.x = span{min(c.x.low, 0) - 0.5, c.x.high + 0.5}
	c.y = reach(c.curves).atLeast(leastSpan(quantity)).widen(0.08)
	return c
}

// passesCaption describes the test and the small points.
func passesCaption(methods []Series) string {
	if slices.ContainsFunc(methods, func(s Series) bool { return s.drawnSeeds() != nil }) {
		return joined(testOf(methods), "small points: seeds")
	}
	return measured(testOf(methods), "error bars", methods)
}

// Points with equal passes are besideStep apart, as a power of two, or less if they would then
// reach further than besideReach.
const (
	besideStep  = 0.16
	besideReach = 0.32
)

// apart returns the place of each point on an axis of powers of two. Points with equal passes are
// side by side around it.
func apart(points []Series) []float64 {
	alike, places := map[float64][]int{}, make([]float64, len(points))
	for i, p := range points {
		alike[p.X[0]] = append(alike[p.X[0]], i)
	}
	for passes, group := range alike {
		gaps := float64(len(group) - 1)
		step := min(besideStep, besideReach/max(gaps, 1))
		for k, i := range group {
			places[i] = math.Log2(passes) + step*(float64(k)-gaps/2)
		}
	}
	return places
}

// powerTicks labels an axis of powers of two at whole powers.
func powerTicks(low, high float64) []plot.Tick {
	ticks := ticker{8, true}.Ticks(low, high)
	for i, tick := range ticks {
		ticks[i].Label = fmt.Sprint(math.Exp2(tick.Value))
	}
	return ticks
}

// frontStyle is the look of the Pareto front.
var frontStyle = style{colour: softInk, width: barWidth, dashes: dottedDashes}

type paretoFront []curve

// paintSteps draws the best value that a number of passes can buy.
func (f paretoFront) paintSteps(canvas draw.Canvas, axes *plot.Plot) {
	var line []vg.Point
	for _, c := range f {
		at := c.at(&canvas, axes)(0, 0)
		if len(line) > 0 {
			line = append(line, xy(at.X, line[len(line)-1].Y))
		}
		line = append(line, at)
	}
	if len(line) > 0 {
		line = append(line, xy(canvas.Max.X, line[len(line)-1].Y))
	}
	strokeWithin(canvas, frontStyle.line(), line...)
}

// paintRings draws a ring around each point.
func (f paretoFront) paintRings(canvas draw.Canvas, axes *plot.Plot) {
	for _, c := range f {
		at := c.at(&canvas, axes)(0, 0)
		if holds(canvas, at) {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: softInk, Radius: 2 * markerRadius,
				Shape: draw.RingGlyph{}}, at)
		}
	}
}

// paintSeedDots draws small points of a method's seeds.
func (c curve) paintSeedDots(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	for _, values := range c.each {
		paintDot(canvas, paleOf(c.style.colour, 0.55), markerRadius/2,
			xy(toX(c.x[0]), toY(values[0])))
	}
}
