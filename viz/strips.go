package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Strip holds the values of one group, such as the standard deviations of one layer's latents.
type Strip struct {
	Name   string // of the group, below its column
	Values []float64
}

// StripPlot is a quantity in several groups.
type StripPlot struct {
	Quantity string // with its unit, such as "σ of the latents"
	Strips   []Strip

	// Reference is a value to compare with, drawn as a dotted line with its name. "" draws none.
	Reference     float64
	ReferenceName string
}

// Strips draws a column of dots for each group, one for each value, with a bar at the median. Dots
// are set side by side in the order of the values, so that equal values can be told apart.
func Strips(p StripPlot) (*Figure, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	result := chart{yLabel: p.Quantity, y: nothing(), width: max(chartWidth, stripWidth*vg.Length(len(p.Strips)))}
	result.caption = "a dot for each value; bars: medians"
	result.x = span{0.4, float64(len(p.Strips)) + 0.6}
	var ticks plot.ConstantTicks
	for i, strip := range p.Strips {
		column := newColumn(float64(i+1), strip.Values, newStyle(0, 0))
		result.y = result.y.include(column.values...)
		result.above = append(result.above, column)
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: strip.Name})
	}
	result.xTicks = ticks
	if p.ReferenceName != "" {
		result.y = result.y.include(p.Reference)
		result.add(referenceLine(result.x, p.Reference), p.ReferenceName)
	}
	result.y = result.y.atLeast(leastSigma * result.y.size()).fromZero(0.06)
	return result.figure(), nil
}

// check refuses plots without values.
func (p StripPlot) check() error {
	if len(p.Strips) == 0 {
		return errors.New("viz: a plot of 0 strips: give at least one")
	}
	for _, strip := range p.Strips {
		if len(strip.Values) == 0 {
			return fmt.Errorf("viz: strip %q has no values: leave it out", strip.Name)
		}
		if err := finite(strip.Name, "value", strip.Values, math.Inf(-1)); err != nil {
			return err
		}
	}
	return finite(p.ReferenceName, "reference", []float64{p.Reference}, math.Inf(-1))
}

// Sizes of a strip plot.
const (
	stripWidth = 0.62 * vg.Inch    // of a column
	dotRadius  = vg.Length(1.8)    // of a value
	dotSpread  = 0.27              // largest distance of a dot from the middle of its column, which is 1 wide
	medianHalf = 0.36              // half of the length of a median's bar
	goldenStep = 0.618033988749895 // spreads the dots of neighbouring values evenly
)

// column is one strip at its place.
type column struct {
	x      float64
	values []float64 // rising
	style  style
}

func newColumn(x float64, values []float64, look style) column {
	values = slices.Clone(values)
	slices.Sort(values)
	return column{x, values, look}
}

func (c column) median() float64 {
	middle := len(c.values) / 2
	if len(c.values)%2 == 1 {
		return c.values[middle]
	}
	return (c.values[middle-1] + c.values[middle]) / 2
}

// Plot draws the dots, then the median.
func (c column) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	pale := paleOf(c.style.colour, 0.65)
	for i, value := range c.values {
		_, share := math.Modf(float64(i+1) * goldenStep)
		at := vg.Point{X: toX(c.x + dotSpread*(2*share-1)), Y: toY(value)}
		if len(c.values) == 1 {
			at.X = toX(c.x)
		}
		if holds(canvas, at) {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: pale, Radius: dotRadius, Shape: draw.CircleGlyph{}}, at)
		}
	}
	y := toY(c.median())
	strokeWithin(canvas, draw.LineStyle{Color: ink, Width: curveWidth}, []vg.Point{{X: toX(c.x - medianHalf), Y: y}, {X: toX(c.x + medianHalf), Y: y}})
}
