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

// Cloud is a layer's output for one image under many draws of the latents, and its mean output for corrupted versions of the
// image, all as two principal components (paper, Figures 2 and 12).
type Cloud struct {
	Draws     [][2]float64 // [draws], one for each draw of the latents
	Clean     [2]float64   // the mean output for the image
	Corrupted [][2]float64 // [versions], the mean outputs for its corrupted versions
	Severity  []int        // [versions], 1 to 5
	Share     [2]float64   // explained variance of the two components, 0 to 1; 0 leaves it out of the axes' labels
}

// PCAScatter draws the cloud with its ellipse of 99 % and the corrupted versions, the darker the severer, filled where the
// ellipse holds them. The legend counts those for each severity.
func PCAScatter(cloud Cloud) (*Figure, error) {
	if err := cloud.check(); err != nil {
		return nil, err
	}
	ellipse, err := NewEllipse(cloud.Draws)
	if err != nil {
		return nil, err
	}
	return cloud.chart(ellipse).figure(), nil
}

// check returns an error that names the first thing that can't be drawn.
func (c Cloud) check() error {
	if len(c.Corrupted) != len(c.Severity) {
		return fmt.Errorf("viz: a cloud of %d corrupted versions has %d severities: give one for each", len(c.Corrupted), len(c.Severity))
	}
	for i, severity := range c.Severity {
		if severity < 1 || severity > severities {
			return fmt.Errorf("viz: corrupted version %d has the severity %d: give 1 to %d", i, severity, severities)
		}
	}
	for i, share := range c.Share {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("viz: component %d explains %g of the variance: give a fraction, 0 to 1", i+1, share)
		}
	}
	for _, points := range [][][2]float64{c.Draws, c.Corrupted, {c.Clean}} {
		for _, point := range points {
			if math.IsNaN(point[0]+point[1]) || math.IsInf(point[0]+point[1], 0) {
				return errors.New("viz: a cloud has a point that is not a number: leave the run out, or repair it")
			}
		}
	}
	return nil
}

// severities is the number of severities of a corruption.
const severities = 5

// severityStyle is how the versions of one severity look.
func severityStyle(severity int) style {
	return style{colour: sequential.at(0.22 + 0.78*float64(severity-1)/(severities-1)), marker: draw.CircleGlyph{}}
}

// Styles of the cloud itself.
var (
	drawStyle    = style{colour: color.NRGBA{R: 0x88, G: 0x88, B: 0x88, A: 0x70}, marker: draw.CircleGlyph{}}
	ellipseStyle = style{colour: hues[3], width: curveWidth}
	cleanStyle   = style{colour: ink, marker: star(5, 1.9)}
)

// chart places the points and counts those inside.
func (c Cloud) chart(ellipse Ellipse) chart {
	x, y := nothing(), nothing()
	outline := ellipse.outline(181)
	for _, points := range [][][2]float64{c.Draws, c.Corrupted, {c.Clean}, outline} {
		for _, point := range points {
			x, y = x.include(point[0]), y.include(point[1])
		}
	}
	result := chart{
		xLabel: componentLabel(1, c.Share[0]), yLabel: componentLabel(2, c.Share[1]), x: x.widen(0.04), y: y.widen(0.04),
		above: []plot.Plotter{scatter{c, ellipse, outline}}, height: squareHeight, caption: "filled, and counted above: inside the ellipse",
		entries: []entry{{name: "draws", style: drawStyle}, {name: "99 % ellipse", style: ellipseStyle}, {name: "clean image", style: cleanStyle}},
	}
	for severity := 1; severity <= severities; severity++ {
		if inside, count := c.count(ellipse, severity); count > 0 {
			result.entries = append(result.entries, entry{name: fmt.Sprintf("severity %d: %d/%d", severity, inside, count), style: severityStyle(severity)})
		}
	}
	result.xTicks, result.yTicks = result.x.ticks(6), result.y.ticks(6)
	return result
}

// componentLabel names an axis with the variance that it explains.
func componentLabel(component int, share float64) string {
	if share == 0 {
		return fmt.Sprintf("component %d", component)
	}
	return fmt.Sprintf("component %d (%.0f %% of the variance)", component, 100*share)
}

// count returns how many versions of a severity there are and how many of them the ellipse holds.
func (c Cloud) count(ellipse Ellipse, severity int) (inside, count int) {
	for i, point := range c.Corrupted {
		if c.Severity[i] != severity {
			continue
		}
		count++
		if ellipse.Inside(point) {
			inside++
		}
	}
	return inside, count
}

// scatter draws the points of a cloud.
type scatter struct {
	cloud   Cloud
	ellipse Ellipse
	outline [][2]float64
}

// Plot draws the draws, the ellipse, the corrupted versions, the mildest first, and the clean image.
func (s scatter) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	at := func(point [2]float64) vg.Point { return vg.Point{X: toX(point[0]), Y: toY(point[1])} }
	for _, point := range s.cloud.Draws {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: drawStyle.colour, Radius: 1.2, Shape: drawStyle.marker}, at(point))
	}
	line := make([]vg.Point, len(s.outline))
	for i, point := range s.outline {
		line[i] = at(point)
	}
	canvas.StrokeLines(ellipseStyle.line(), line)
	for severity := 1; severity <= severities; severity++ {
		for i, point := range s.cloud.Corrupted {
			if s.cloud.Severity[i] == severity {
				drawVersion(&canvas, severityStyle(severity), at(point), s.ellipse.Inside(point))
			}
		}
	}
	drawMarker(&canvas, cleanStyle, at(s.cloud.Clean))
}

// drawVersion draws a corrupted version, filled or hollow.
func drawVersion(canvas *draw.Canvas, look style, at vg.Point, filled bool) {
	drawMarker(canvas, look, at)
	if !filled {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.55 * markerRadius, Shape: look.marker}, at)
	}
}
