package viz

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Difference is a difference between two methods, such as of their NLL at one corruption level.
type Difference struct {
	Name     string      // of its row
	Mean     float64     // over the seeds
	Interval *[2]float64 // of the mean; nil draws none
	Each     []float64   // of each seed, drawn as small dots; nil draws none
	Paper    *float64    // the paper's own difference, drawn as a diamond; nil draws none
}

// DifferencePlot is several differences of one quantity.
type DifferencePlot struct {
	Quantity    string // with its unit, such as "M32 - M16 (nats)"
	Differences []Difference
	Claimed     int    // side of zero on which a claim expects them, shaded: -1 below, +1 above, 0 neither
	Caption     string // such as "dots: 3 seeds; bars: 95 % intervals"
}

// Differences draws a row for each difference: its mean with the interval and a dot for each seed,
// against a line at zero.
func Differences(p DifferencePlot) (*Figure, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	rows := float64(len(p.Differences))
	result := chart{
		xLabel: p.Quantity, x: nothing().include(0), y: span{0.4, rows + 0.6}, xTicks: ticker{4, false}, caption: p.Caption,
		height: max(chartHeight, differenceRow*vg.Length(rows)+differenceRoom), width: chartWidth + p.nameRoom(),
	}
	var ticks plot.ConstantTicks
	for i, d := range p.Differences {
		y := rows - float64(i)
		ticks = append(ticks, plot.Tick{Value: y, Label: letters(d.Name)})
		result.x = result.x.include(d.values()...)
		result.above = append(result.above, differenceMark{d, y})
	}
	result.x, result.yTicks = result.x.widen(0.08), ticks
	result.below = []plot.Plotter{claimedSide(p.Claimed)}
	result.entries = p.entries()
	return result.figure(), nil
}

// Sizes of a plot of differences, in points.
const (
	differenceRow  = vg.Length(21)
	differenceRoom = vg.Length(80) // for the axis and the caption
	differenceSize = vg.Length(4)  // radius of a mean
)

// check refuses plots without differences and values that can't be drawn.
func (p DifferencePlot) check() error {
	if len(p.Differences) == 0 {
		return errors.New("viz: a plot of 0 differences: give at least one")
	}
	for _, d := range p.Differences {
		if err := d.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses values that can't be drawn.
func (d Difference) check() error {
	if d.Interval != nil && d.Interval[0] > d.Interval[1] {
		return fmt.Errorf("viz: the interval of %q ends at %g before it begins at %g: give the lower end first", d.Name, d.Interval[1], d.Interval[0])
	}
	return finite(d.Name, "difference", d.values(), math.Inf(-1))
}

// values are the mean and what else of the difference has a place on the axis.
func (d Difference) values() []float64 {
	values := append([]float64{d.Mean}, d.Each...)
	if d.Interval != nil {
		values = append(values, d.Interval[:]...)
	}
	if d.Paper != nil {
		values = append(values, *d.Paper)
	}
	return values
}

func (p DifferencePlot) nameRoom() (room vg.Length) {
	for _, d := range p.Differences {
		room = max(room, textWidth(d.Name, tickSize)-textWidth("0.00", tickSize))
	}
	return room
}

// entries name ours and the paper's marks, if both are there.
func (p DifferencePlot) entries() []entry {
	for _, d := range p.Differences {
		if d.Paper != nil {
			return []entry{{name: "ours", style: differenceStyle}, {name: "paper", style: paperMark}}
		}
	}
	return nil
}

// The marks of our means and of the paper's differences.
var (
	differenceStyle = newStyle(0, 0)
	paperMark       = style{colour: softInk, marker: markers[3]}
)

// claimedSide shades one side of zero.
type claimedSide int

// Plot shades the side and draws the line at zero.
func (c claimedSide) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, _ := axes.Transforms(&canvas)
	zero := min(max(toX(0), canvas.Min.X), canvas.Max.X)
	side := canvas.Rectangle
	if c < 0 {
		side.Max.X = zero
	} else {
		side.Min.X = zero
	}
	if c != 0 {
		fill(canvas, side, claimedInk)
	}
	canvas.StrokeLine2(draw.LineStyle{Color: ink, Width: axisWidth}, zero, canvas.Min.Y, zero, canvas.Max.Y)
}

// claimedInk is the background of the claimed side.
var claimedInk = color.NRGBA{R: 0xe9, G: 0xf2, B: 0xe6, A: 0xff}

// differenceMark is one difference at its height.
type differenceMark struct {
	Difference
	y float64
}

// Plot draws the interval, the seeds, the mean and the paper's difference.
func (m differenceMark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	at := func(value float64) vg.Point { return vg.Point{X: toX(value), Y: toY(m.y)} }
	line := draw.LineStyle{Color: differenceStyle.colour, Width: curveWidth}
	if m.Interval != nil {
		paintInterval(canvas, line, at(m.Interval[0]), at(m.Interval[1]), vg.Point{Y: capWidth / 2})
	}
	paintSeeds(canvas, m.Each, differenceStyle.colour, dotRadius, at, vg.Point{Y: -differenceRow / 3})
	if m.Paper != nil && holds(canvas, at(*m.Paper)) {
		drawMarkerOf(differenceSize, &canvas, paperMark, at(*m.Paper))
	}
	if holds(canvas, at(m.Mean)) {
		drawMarkerOf(differenceSize, &canvas, differenceStyle, at(m.Mean))
	}
}

// paintSeeds draws a dot for each seed at the place of its value, moved by an offset.
func paintSeeds(canvas draw.Canvas, each []float64, colour color.Color, radius vg.Length, at func(float64) vg.Point, offset vg.Point) {
	for _, value := range each {
		if p := at(value).Add(offset); holds(canvas, p) {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: radius, Shape: draw.CircleGlyph{}}, p)
		}
	}
}

// paintInterval draws the line between the ends of an interval, with caps of the given half.
func paintInterval(canvas draw.Canvas, look draw.LineStyle, low, high, half vg.Point) {
	strokeWithin(canvas, look, []vg.Point{low, high})
	for _, end := range []vg.Point{low, high} {
		strokeWithin(canvas, look, []vg.Point{end.Sub(half), end.Add(half)})
	}
}
