package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
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

// Plot draws the draws, the ellipse, the corrupted versions, the mildest first, with their lines
// and names, and the clean image.
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
	paths := s.paths()
	for _, path := range paths {
		points := []vg.Point{at(s.cloud.Clean)}
		for _, i := range path {
			points = append(points, at(s.cloud.Corrupted[i]))
		}
		canvas.StrokeLines(pathStyle, points)
	}
	for severity := 1; severity <= severities; severity++ {
		for i, point := range s.cloud.Corrupted {
			if s.cloud.Severity[i] == severity {
				drawVersion(&canvas, severityStyle(severity), at(point), s.ellipse.Inside(point))
			}
		}
	}
	drawMarker(&canvas, cleanStyle, at(s.cloud.Clean))
	s.paintNames(canvas, paths, at)
}

// paths returns the versions of each corruption by severity, those that end farthest from the draws
// first.
func (s scatter) paths() (paths [][]int) {
	place := map[string]int{}
	for i, name := range s.cloud.Corruption {
		if _, found := place[name]; !found {
			place[name] = len(paths)
			paths = append(paths, nil)
		}
		paths[place[name]] = append(paths[place[name]], i)
	}
	for _, path := range paths {
		slices.SortFunc(path, func(a, b int) int { return s.cloud.Severity[a] - s.cloud.Severity[b] })
	}
	slices.SortStableFunc(paths, func(a, b []int) int {
		return cmp.Compare(s.distance(b[len(b)-1]), s.distance(a[len(a)-1]))
	})
	return paths
}

// distance returns how far from the draws a corrupted version is.
func (s scatter) distance(version int) float64 { return s.ellipse.Distance(s.cloud.Corrupted[version]) }

// Limits of the names of corruptions.
const (
	pathNames    = 6 // most
	pathNameSize = vg.Length(9)
)

// paintNames writes the names of corruptions at their last severities, as far as they don't hide
// each other.
func (s scatter) paintNames(canvas draw.Canvas, paths [][]int, at func([2]float64) vg.Point) {
	var taken []vg.Rectangle
	for _, path := range paths {
		last := path[len(path)-1]
		name := strings.ReplaceAll(s.cloud.Corruption[last], "_", " ")
		box, free := freeBox(canvas, at(s.cloud.Corrupted[last]), textWidth(name, pathNameSize), func(box vg.Rectangle) bool {
			return !slices.ContainsFunc(taken, func(other vg.Rectangle) bool { return overlap(box, other) }) &&
				!slices.ContainsFunc(s.cloud.Corrupted, func(point [2]float64) bool { return overlap(box, around(at(point), markerRadius)) })
		})
		if !free || len(taken) == pathNames {
			continue
		}
		taken = append(taken, box)
		write(canvas, name, pathNameSize, ink, draw.XLeft, vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2})
	}
}

// freeBox returns the first place of a text near a point that is free: right of it, left of it,
// then farther and farther above and below it, inside the canvas.
func freeBox(canvas draw.Canvas, point vg.Point, width vg.Length, free func(vg.Rectangle) bool) (vg.Rectangle, bool) {
	gap, half := markerRadius+3, pathNameSize/2
	centres := []vg.Point{{X: point.X + gap + width/2, Y: point.Y}, {X: point.X - gap - width/2, Y: point.Y}}
	for step := vg.Length(1); step <= 2; step++ {
		shift := gap + half + (step-1)*pathNameSize
		x := max(canvas.Min.X+width/2, min(point.X, canvas.Max.X-width/2))
		centres = append(centres, vg.Point{X: x, Y: point.Y + shift}, vg.Point{X: x, Y: point.Y - shift})
	}
	for _, centre := range centres {
		box := vg.Rectangle{Min: centre.Sub(vg.Point{X: width / 2, Y: half}), Max: centre.Add(vg.Point{X: width / 2, Y: half})}
		if box.Min.X >= canvas.Min.X && box.Max.X <= canvas.Max.X && free(box) {
			return box, true
		}
	}
	return vg.Rectangle{}, false
}

// around returns the square around a point.
func around(point vg.Point, radius vg.Length) vg.Rectangle {
	corner := vg.Point{X: radius, Y: radius}
	return vg.Rectangle{Min: point.Sub(corner), Max: point.Add(corner)}
}

// overlap reports whether two boxes have a point in common.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// drawVersion draws a corrupted version, filled or hollow.
func drawVersion(canvas *draw.Canvas, look style, at vg.Point, filled bool) {
	drawMarker(canvas, look, at)
	if !filled {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.55 * markerRadius, Shape: look.marker}, at)
	}
}
