package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// PassesPoint is a metric of one method and the cost of its predictions.
type PassesPoint struct {
	Name   string    // of the method; it decides the colour, unless Colour does
	Passes int       // forward passes that predict an image: samples times members
	Mean   float64   // of the metric over seeds
	Std    float64   // standard deviation over seeds, drawn as an error bar from five seeds on
	Each   []float64 // [seeds], drawn as small points if there are two to four; nil draws none
	Seeds  int       // number of runs behind Mean and Std; 0 means not known

	Test   string // what was measured, for the caption; "" leaves it out
	Colour string // such as "#0067a8"; "" means the colour of the name
}

// AgainstPasses draws a metric against the forward passes that predict an image, on a logarithmic
// axis, and the Pareto front: the methods to which no other is equal or better in both with one of
// them better. Their points have a ring. The front is that of the means; a metric without a best
// value has none.
func AgainstPasses(metric string, points []PassesPoint) (*Figure, error) {
	quantity, err := metricByName(metric)
	if err != nil {
		return nil, err
	}
	methods := make([]Series, len(points))
	for i, p := range points {
		if methods[i] = p.series(); p.Passes < 1 {
			return nil, fmt.Errorf("viz: %s predicts with %d passes: give 1 or more", p.Name, p.Passes)
		}
	}
	if methods, err = copied(methods); err != nil {
		return nil, err
	}
	if err := checkSeries(quantity, methods); err != nil {
		return nil, err
	}
	return passesChart(quantity, methods, points).figure(), nil
}

// series returns the point as values at one place.
func (p PassesPoint) series() Series {
	s := Series{Name: p.Name, Mean: []float64{p.Mean}, Std: []float64{p.Std}, Seeds: max(1, p.Seeds), Test: p.Test, Colour: p.Colour}
	for _, value := range p.Each {
		s.Each = append(s.Each, []float64{value})
	}
	return s
}

// onFront reports of each point whether no other is equal or better in both passes and mean with
// one of them better.
func onFront(quantity score.Metric, points []PassesPoint) []bool {
	front := make([]bool, len(points))
	for i, p := range points {
		front[i] = quantity.HasBest() && !slices.ContainsFunc(points, func(other PassesPoint) bool {
			better := other.Passes < p.Passes || quantity.Better(other.Mean, p.Mean)
			return better && other.Passes <= p.Passes && !quantity.Better(p.Mean, other.Mean)
		})
	}
	return front
}

// passesChart places the points. Those with equal passes stand side by side.
func passesChart(quantity score.Metric, methods []Series, points []PassesPoint) chart {
	looks, places, front := stylesOf(methods), apart(points), onFront(quantity, points)
	c := chart{
		xLabel: "forward passes of a prediction", yLabel: quantity.Label(), x: nothing(), caption: passesCaption(methods),
		xTicks: powerTicker{}, yTicks: ticker{6, false},
	}
	var steps frontSteps
	var rings ringed
	for i, s := range methods {
		dot := s.curve(quantity, []float64{places[i]}, looks[i])
		c.curves, c.x = append(c.curves, dot), c.x.include(places[i])
		c.below = append(c.below, painter(dot.paintSeedDots))
		c.entries = append(c.entries, entry{name: s.Name, style: style{colour: looks[i].colour, marker: looks[i].marker}})
		if front[i] {
			steps, rings = append(steps, dot), append(rings, dot)
		}
	}
	if quantity.HasBest() {
		c.below = append([]plot.Plotter{steps.sorted()}, c.below...)
		c.above = append(c.above, rings)
		c.entries = append(c.entries, entry{name: "Pareto front", style: frontStyle})
	}
	c.x = span{min(c.x.low, 0) - 0.5, c.x.high + 0.5}
	c.y = reach(c.curves).atLeast(leastSpan(quantity)).widen(0.08)
	return c
}

// passesCaption says what was measured and what the small points are.
func passesCaption(methods []Series) string {
	test := testOf(methods)
	for _, s := range methods {
		if s.drawnSeeds() != nil {
			return strings.TrimPrefix(test+"; small points: seeds", "; ")
		}
	}
	return testCaption(test, methods)
}

// Points with equal passes are besideStep apart, as a power of two, or less if they would then
// reach further than besideReach.
const (
	besideStep  = 0.16
	besideReach = 0.32
)

// apart returns the place of each point on an axis of powers of two. Points with equal passes stand
// side by side around it.
func apart(points []PassesPoint) []float64 {
	alike, places := map[int]int{}, make([]float64, len(points))
	for _, p := range points {
		alike[p.Passes]++
	}
	before := map[int]int{}
	for i, p := range points {
		gaps := float64(alike[p.Passes] - 1)
		step := min(besideStep, besideReach/max(gaps, 1))
		places[i] = math.Log2(float64(p.Passes)) + step*(float64(before[p.Passes])-gaps/2)
		before[p.Passes]++
	}
	return places
}

// powerTicker labels an axis of powers of two at whole powers.
type powerTicker struct{}

// Ticks returns the labelled places from low to high.
func (powerTicker) Ticks(low, high float64) []plot.Tick {
	ticks := span{low, high}.wholeTicks(8)
	for i, tick := range ticks {
		ticks[i].Label = fmt.Sprint(math.Exp2(tick.Value))
	}
	return ticks
}

// frontStyle is the look of the Pareto front.
var frontStyle = style{colour: softInk, width: barWidth, dashes: dottedDashes}

// frontSteps are the points of the Pareto front, from the fewest passes on.
type frontSteps []curve

func (f frontSteps) sorted() frontSteps {
	slices.SortStableFunc(f, func(a, b curve) int {
		if a.x[0] < b.x[0] {
			return -1
		}
		return 1
	})
	return f
}

// Plot draws steps: the best value that a number of passes can buy.
func (f frontSteps) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	var line []vg.Point
	for i, c := range f {
		if i > 0 {
			line = append(line, vg.Point{X: toX(c.x[0]), Y: toY(f[i-1].y[0])})
		}
		line = append(line, vg.Point{X: toX(c.x[0]), Y: toY(c.y[0])})
	}
	if len(f) > 0 {
		line = append(line, vg.Point{X: canvas.Max.X, Y: toY(f[len(f)-1].y[0])})
	}
	strokeWithin(canvas, frontStyle.line(), line)
}

// ringed are points with a ring around them.
type ringed []curve

// Plot draws the rings.
func (r ringed) Plot(canvas draw.Canvas, axes *plot.Plot) {
	for _, c := range r {
		at := c.at(&canvas, axes)(0, 0)
		if holds(canvas, at) {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: softInk, Radius: 2 * markerRadius, Shape: draw.RingGlyph{}}, at)
		}
	}
}

// paintSeedDots draws small points of a method's seeds.
func (c curve) paintSeedDots(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	for _, values := range c.each {
		at := func(value float64) vg.Point { return vg.Point{X: toX(c.x[0]), Y: toY(value)} }
		paintSeeds(canvas, values, paleOf(c.style.colour, 0.55), markerRadius/2, at, vg.Point{})
	}
}
