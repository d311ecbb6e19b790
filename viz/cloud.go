package viz

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cloud is a layer's output for one image under many draws of the latents, and its mean output for
// corrupted versions of the image, all as two principal components (paper, Figures 2 and 12).
type Cloud struct {
	Name       string       `json:"-"` // of the method, above its panel; "" draws none
	Draws      [][2]float64 // [draws], one for each draw of the latents
	Clean      [2]float64   // the mean output for the image
	Corrupted  [][2]float64 // [versions], the mean outputs for its corrupted versions
	Severity   []int        // [versions], 1 to 5
	Corruption []string     `json:"-"` // [versions]; a line joins the severities of a corruption; nil draws none
	Share      [2]float64   // explained variance of the two components, 0 to 1; 0 leaves it out of the axes' labels
}

// PCAScatter draws clouds side by side on the same axes, whose units have one length in both
// directions. Each has its ellipse of 99 %, as if the draws were Gaussian, and the corrupted
// versions, the darker the severer, filled if the ellipse holds them; the line below counts those.
// Corruptions that leave the ellipse are named first.
func PCAScatter(clouds ...Cloud) (*Figure, error) {
	if len(clouds) == 0 {
		return nil, errors.New("viz: a scatter of 0 clouds: give at least one")
	}
	x, y := nothing(), nothing()
	scatters := make([]scatter, len(clouds))
	for i, cloud := range clouds {
		if err := cloud.check(); err != nil {
			return nil, err
		}
		ellipse, err := NewEllipse(cloud.Draws)
		if err != nil {
			return nil, err
		}
		scatters[i] = scatter{cloud, ellipse, ellipse.outline(181)}
		x, y = scatters[i].reach(x, y)
	}
	panels := make([]*Figure, len(clouds))
	for i, s := range scatters {
		if panels[i] = s.chart(x.widen(0.04), y.widen(0.04)).withEqualUnits().figure(); s.cloud.Name != "" {
			panels[i] = panels[i].Titled(s.cloud.Name)
		}
	}
	if len(panels) == 1 {
		return panels[0], nil
	}
	return SharedRow(panels...)
}

// check returns an error that names the first thing that can't be drawn.
func (c Cloud) check() error {
	if len(c.Corrupted) != len(c.Severity) {
		return fmt.Errorf("viz: a cloud of %d corrupted versions has %d severities: give one for each", len(c.Corrupted), len(c.Severity))
	}
	if c.Corruption != nil && len(c.Corruption) != len(c.Corrupted) {
		return fmt.Errorf("viz: a cloud of %d corrupted versions has %d names: give one for each, or nil", len(c.Corrupted), len(c.Corruption))
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
	return style{colour: severe.at(float64(severity-1) / (severities - 1)), marker: draw.CircleGlyph{}}
}

// Styles of the cloud itself.
var (
	drawStyle    = style{colour: color.NRGBA{R: 0x98, G: 0x98, B: 0x98, A: 0x70}, marker: draw.CircleGlyph{}}
	pathStyle    = draw.LineStyle{Color: color.NRGBA{R: 0x80, G: 0x50, B: 0x50, A: 0xa0}, Width: gridWidth}
	ellipseStyle = style{colour: ink, width: barWidth}
	cleanStyle   = style{colour: ink, marker: star(5, 1.9)}
)

// reach returns the spans with all points of the scatter.
func (s scatter) reach(x, y span) (span, span) {
	for _, points := range [][][2]float64{s.cloud.Draws, s.cloud.Corrupted, {s.cloud.Clean}, s.outline} {
		for _, point := range points {
			x, y = x.include(point[0]), y.include(point[1])
		}
	}
	return x, y
}

// chart places the points and counts those inside.
func (s scatter) chart(x, y span) chart {
	result := chart{
		xLabel: componentLabel(1, s.cloud.Share[0], " of variance"), yLabel: componentLabel(2, s.cloud.Share[1], ""), x: x, y: y,
		above: []plot.Plotter{s}, height: squareHeight, caption: s.counts(),
		entries: []entry{{name: "draws", style: drawStyle}, {name: "99 % ellipse", style: ellipseStyle}, {name: "clean image", style: cleanStyle}},
	}
	for severity := 1; severity <= severities; severity++ {
		result.entries = append(result.entries, entry{name: fmt.Sprintf("severity %d", severity), style: severityStyle(severity)})
	}
	result.xTicks, result.yTicks = ticker{6, false}, ticker{6, false}
	return result
}

// counts says how many versions of each severity the ellipse holds, "" if there are none.
func (s scatter) counts() string {
	var texts []string
	for severity := 1; severity <= severities; severity++ {
		if inside, count := s.cloud.count(s.ellipse, severity); count > 0 {
			texts = append(texts, fmt.Sprintf("%d/%d", inside, count))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "inside (filled), by severity: " + strings.Join(texts, "  ")
}

// leastScatter is the least height of a scatter, without the legend.
const leastScatter = 2.9 * vg.Inch

// withEqualUnits lowers the chart, or widens one of the spans, so that a unit has the same length
// on both axes.
func (c chart) withEqualUnits() chart {
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: chartWidth, Y: c.height}}}
	inside := c.axes().DataCanvas(c.place(whole, margin, nil))
	width, height := float64(inside.Max.X-inside.Min.X), float64(inside.Max.Y-inside.Min.Y)
	needed := width * (c.y.high - c.y.low) / (c.x.high - c.x.low)
	lower := max(c.height-vg.Length(max(0, height-needed)), leastScatter)
	height, c.height = height-float64(c.height-lower), lower
	unit := math.Max((c.x.high-c.x.low)/width, (c.y.high-c.y.low)/height)
	around := func(s span, length float64) span {
		middle := (s.low + s.high) / 2
		return span{middle - unit*length/2, middle + unit*length/2}
	}
	c.x, c.y = around(c.x, width), around(c.y, height)
	return c
}

// componentLabel names an axis with the share of the variance that it explains.
func componentLabel(component int, share float64, of string) string {
	if share == 0 {
		return fmt.Sprintf("component %d", component)
	}
	return fmt.Sprintf("component %d (%.0f %%%s)", component, 100*share, of)
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
