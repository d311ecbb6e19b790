package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PlaneShifts shows a network with two inputs and three classes: what it predicts over the plane, a
// point with circles of shifted inputs around it, and the outputs for them next to the outputs for
// the point under draws of the latents (paper, Figure 1). Inputs are coordinates of 0 to 1. Outputs
// a, b and c are ((a - b) / √2, (2c - a - b) / √6): the first against the second, and the third
// against both. Adding a number to all outputs changes neither this point nor the probabilities.
type PlaneShifts struct {
	Name   string
	Points [][2]float64 // training points
	Labels []int        // [points], 0 to 2
	// over the unit square, [rows][columns][classes], the lowest row first
	Probability [][][]float64

	Start   [2]float64     // the point
	Lengths []float64      // of the shifts
	Circles [][][2]float64 // [lengths][directions], shifted inputs
	Draws   [][2]float64   // outputs for the point, one for each draw of the latents
	Clean   [2]float64     // the mean output for the point
	Outputs [][][2]float64 // [lengths][directions], the mean outputs for the shifted inputs
}

// planeProbabilities returns the probabilities of the three classes at a point of the output plane.
func planeProbabilities(x, y float64) (p [3]float64) {
	x, y = x/math.Sqrt2, y/math.Sqrt(6)
	outputs := [3]float64{x - y, -x - y, 2 * y}
	total := floats.LogSumExp(outputs[:])
	for i, output := range outputs {
		p[i] = math.Exp(output - total)
	}
	return p
}

// ShiftPanels draws networks one below the other: first their inputs, then their outputs, which
// share their axes.
func ShiftPanels(networks ...PlaneShifts) (*Figure, error) {
	if len(networks) == 0 {
		return nil, errors.New("viz: shifts of 0 networks: give at least one")
	}
	x, y := nothing(), nothing()
	panels := make([]shiftPanel, len(networks))
	for i, network := range networks {
		if err := network.check(); err != nil {
			return nil, err
		}
		ellipse, err := NewEllipse(network.Draws)
		if err != nil {
			return nil, err
		}
		panels[i] = shiftPanel{network, ellipse}
		x, y = includePoints(x, y, slices.Concat(network.Outputs...), ellipse.outline(181),
			[][2]float64{network.Clean})
	}
	var inputs, outputs [][]*Figure
	for _, p := range panels {
		inputs = append(inputs, []*Figure{p.inputs().withEqualUnits(leastScatter).figure().Titled(
			p.Name)})
		outputs = append(outputs, []*Figure{p.outputs(x.widen(0.05), y.widen(0.05)).withEqualUnits(
			leastScatter).figure().Titled(p.Name)})
	}
	return SharedGrid(append(inputs, outputs...)...)
}

// check returns an error that names the first thing that can't be drawn.
func (p PlaneShifts) check() error {
	owner, lengths := fmt.Sprintf("%q", p.Name), len(p.Lengths)
	switch {
	case slices.ContainsFunc(p.Labels, func(label int) bool {
		return label < 0 || label >= len(classStyles)
	}):
		return fmt.Errorf("viz: the labels of %s go beyond 0 to %d: want %d classes", owner,
			len(classStyles)-1, len(classStyles))
	case len(p.Probability) == 0 || len(p.Probability[0]) == 0 ||
		len(p.Probability[0][0]) != len(classStyles):
		return fmt.Errorf("viz: %s has no predictions of three classes over the plane: give rows "+
			"of them", owner)
	}
	return cmp.Or(paired(owner, "points", len(p.Points), "labels", len(p.Labels)),
		paired(owner, "lengths of shifts", lengths, "circles", len(p.Circles)),
		paired(owner, "lengths of shifts", lengths, "outputs", len(p.Outputs)))
}

// shiftPanel draws one network.
type shiftPanel struct {
	PlaneShifts
	ellipse Ellipse
}

// classStyles are the classes' looks.
var classStyles = []style{newStyle(0, 0), newStyle(2, 0), newStyle(7, 0)}

// planeDraw is the look of draws on coloured ground.
var planeDraw = style{colour: seeThrough(0x505050, 0x60), marker: draw.CircleGlyph{}}

// shiftStyle returns the look of the circles of one length.
func (p shiftPanel) shiftStyle(i int) style {
	place := 0.0
	if last := len(p.Lengths) - 1; last > 0 {
		place = 0.75 * float64(i) / float64(last)
	}
	return style{colour: severe.at(place), width: curveWidth}
}

func (p shiftPanel) inputs() chart {
	entries := []entry{{name: "x", style: cleanStyle}}
	for i, length := range p.Lengths {
		entries = append(entries, entry{name: fmt.Sprintf("shifts of x by %g", length),
			style: p.shiftStyle(i)})
	}
	return chart{
		xLabel: "input 1", yLabel: "input 2", x: span{0.05, 0.95}, y: span{0.12, 0.88},
		xTicks: ticker{5, false}, yTicks: ticker{5, false}, height: squareHeight,
		below: []plot.Plotter{background(p.inputColour)},
		above: []plot.Plotter{painter(p.paintInputs)}, entries: entries,
	}
}

// outputs returns the chart of the last layer.
func (p shiftPanel) outputs(x, y span) chart {
	var covered []string
	for i, circle := range p.Outputs {
		inside := 0
		for _, output := range circle {
			if p.ellipse.Inside(output) {
				inside++
			}
		}
		covered = append(covered, fmt.Sprintf("%.0f %% (%g)",
			100*float64(inside)/float64(max(1, len(circle))), p.Lengths[i]))
	}
	return chart{
		xLabel: "output 1 against output 2", yLabel: "output 3 against both", x: x, y: y,
		caption: "covered: " + strings.Join(covered, ", "),
		height:  squareHeight,
		below:   []plot.Plotter{background(outputColour)},
		above:   []plot.Plotter{painter(p.paintOutputs)},
		entries: []entry{
			{name: "outputs for x under draws of the latents", style: planeDraw},
			{name: "99 % ellipse", style: ellipseStyle},
		},
	}
}

// background draws a picture behind axes, of one colour for each point of the screen.
func background(colour func(x, y float64) color.NRGBA) painter {
	return func(canvas draw.Canvas, axes *plot.Plot) {
		place := canvas.Rectangle
		columns, rows := int(place.Size().X/pixel), int(place.Size().Y/pixel)
		picture := image.NewNRGBA(image.Rect(0, 0, columns, rows))
		for row := range rows {
			for column := range columns {
				x := axes.X.Min + (axes.X.Max-axes.X.Min)*(float64(column)+0.5)/float64(columns)
				y := axes.Y.Max - (axes.Y.Max-axes.Y.Min)*(float64(row)+0.5)/float64(rows)
				picture.SetNRGBA(column, row, colour(x, y))
			}
		}
		canvas.DrawImage(place, picture)
	}
}

// inputColour mixes the classes' colours by the predictions at an input.
func (p shiftPanel) inputColour(x, y float64) color.NRGBA {
	rows, columns := len(p.Probability), len(p.Probability[0])
	var mean [3]float64
	across, up := float64(columns)*x-0.5, float64(rows)*y-0.5
	left, low := math.Floor(across), math.Floor(up)
	// between the centres of cells
	for _, cell := range [][2]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		column, row := left+cell[0], low+cell[1]
		weight := (1 - math.Abs(across-column)) * (1 - math.Abs(up-row))
		at := p.Probability[max(0, min(rows-1, int(row)))][max(0, min(columns-1, int(column)))]
		for class := range mean {
			mean[class] += weight * at[class]
		}
	}
	return mixedClasses(mean)
}

func outputColour(x, y float64) color.NRGBA { return mixedClasses(planeProbabilities(x, y)) }

// mixedClasses mixes the classes' colours, and white, by probabilities.
func mixedClasses(probabilities [3]float64) color.NRGBA {
	const strength = 0.3
	var mixed [3]float64
	for class, p := range probabilities {
		for i, v := range []uint8{classStyles[class].colour.R, classStyles[class].colour.G,
			classStyles[class].colour.B} {
			mixed[i] += p * (255 - strength*(255-float64(v)))
		}
	}
	return color.NRGBA{R: uint8(min(255, mixed[0])), G: uint8(min(255, mixed[1])),
		B: uint8(min(255, mixed[2])), A: 0xff}
}

// paintInputs draws the points and the circles.
func (p shiftPanel) paintInputs(canvas draw.Canvas, axes *plot.Plot) {
	at := placeOf(&canvas, axes)
	for i, point := range p.Points {
		if place := at(point); holds(canvas, place) {
			drawMarkerOf(1.9, &canvas, classStyles[p.Labels[i]], place)
		}
	}
	for i, circle := range p.Circles {
		strokeClosed(canvas, p.shiftStyle(i), circle, at)
	}
	drawMarker(&canvas, cleanStyle, at(p.Start))
}

// paintOutputs draws the cloud and the images of the circles.
func (p shiftPanel) paintOutputs(canvas draw.Canvas, axes *plot.Plot) {
	at := placeOf(&canvas, axes)
	for _, point := range p.Draws {
		paintDot(canvas, planeDraw.colour, drawRadius, at(point))
	}
	strokeClosed(canvas, ellipseStyle, p.ellipse.outline(181), at)
	for i, outputs := range p.Outputs {
		strokeClosed(canvas, p.shiftStyle(i), outputs, at)
	}
	drawMarker(&canvas, cleanStyle, at(p.Clean))
}

func placeOf(canvas *draw.Canvas, axes *plot.Plot) func([2]float64) vg.Point {
	toX, toY := axes.Transforms(canvas)
	return func(point [2]float64) vg.Point { return xy(toX(point[0]), toY(point[1])) }
}

func strokeClosed(canvas draw.Canvas, look style, points [][2]float64,
	at func([2]float64) vg.Point) {
	var line []vg.Point
	for i := range len(points) + 1 {
		line = append(line, at(points[i%len(points)]))
	}
	strokeWithin(canvas, look.line(), line...)
}
