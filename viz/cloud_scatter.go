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
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/nearby"
)

type scatter struct {
	cloud   Cloud
	ellipse Ellipse
	outline [][2]float64 // of the ellipse
	near    *nearby.Region
	tests   []CloudTest // of the ellipse, of the neighbours, and further ones
	caption string
}

func newScatters(clouds []Cloud) ([]scatter, error) {
	if len(clouds) == 0 {
		return nil, errors.New("viz: a scatter of 0 clouds: give at least one")
	}
	scatters := make([]scatter, len(clouds))
	for i, cloud := range clouds {
		var err error
		if scatters[i], err = newScatter(cloud); err != nil {
			return nil, err
		}
	}
	return scatters, nil
}

func newScatter(cloud Cloud) (s scatter, err error) {
	s.cloud = cloud
	if err = cloud.check(); err != nil {
		return s, err
	}
	if s.ellipse, err = NewEllipse(cloud.Draws); err != nil {
		return s, err
	}
	draws := make([][]float64, len(cloud.Draws))
	for i, draw := range cloud.Draws {
		draws[i] = draw[:]
	}
	if s.near, err = nearby.New(draws); err != nil {
		return s, err
	}
	s.outline = s.ellipse.outline(181)
	inEllipse, near := make([]bool, len(cloud.Corrupted)), make([]bool, len(cloud.Corrupted))
	for i, point := range cloud.Corrupted {
		inEllipse[i], near[i] = s.ellipse.Inside(point), s.near.Distance(point[:]) <= 1
	}
	s.tests = append([]CloudTest{{"in the 99 % ellipse", "in ellipse", inEllipse},
		{"near the draws", "near", near}}, cloud.Tests...)
	return s, nil
}

func severityStyle(severity int) style {
	return style{colour: severe.at(float64(severity-1) / (severities - 1)),
		marker: draw.CircleGlyph{}}
}

// drawRadius is the radius of a draw's dot, in points.
const drawRadius vg.Length = 1.2

// Styles of the cloud itself.
var (
	drawStyle     = style{colour: seeThrough(0x989898, 0x70), marker: draw.CircleGlyph{}}
	pathStyle     = pen(seeThrough(0x805050, 0x60), gridWidth)
	namedPath     = pen(seeThrough(0x603030, 0xd0), axisWidth)
	ellipseStyle  = style{colour: ink, width: barWidth}
	nearbyOutline = style{colour: softInk, width: barWidth, dashes: dottedDashes}
	cleanStyle    = style{colour: ink, marker: star(5, 1.9)}
)

// scatterEntries is the legend without severities, which the table shows.
var scatterEntries = []entry{
	{name: "draws of the latents", style: drawStyle}, {name: "99 % ellipse", style: ellipseStyle},
	{name: "near the draws", style: nearbyOutline}, {name: "clean image", style: cleanStyle},
}

func severityEntries() (entries []entry) {
	for severity := 1; severity <= severities; severity++ {
		entries = append(entries, entry{name: fmt.Sprintf("severity %d", severity),
			style: severityStyle(severity)})
	}
	return entries
}

// scatterRow puts the panels side by side, on the same axes, under one legend.
func scatterRow(scatters []scatter, entries []entry) (*Figure, error) {
	x, y := nothing(), nothing()
	for _, s := range scatters {
		x, y = includePoints(x, y, s.cloud.Draws, s.cloud.Corrupted, [][2]float64{s.cloud.Clean},
			s.outline)
	}
	panels := make([]*Figure, len(scatters))
	for i, s := range scatters {
		chart := s.chart(x.widen(0.04), y.widen(0.04))
		chart.entries = entries
		if panels[i] = chart.withEqualUnits(leastScatter).figure(); s.cloud.Name != "" {
			panels[i] = panels[i].Titled(s.cloud.Name)
		}
	}
	if len(panels) == 1 {
		return panels[0], nil
	}
	return SharedGrid(panels)
}

// leastScatter is the least height of a scatter, without the legend.
const leastScatter = 2.9 * vg.Inch

// chart places the points.
func (s scatter) chart(x, y span) chart {
	return chart{
		xLabel: componentLabel(1, s.cloud.Share[0], " of variance"),
		yLabel: componentLabel(2, s.cloud.Share[1], ""), x: x, y: y,
		above: []plot.Plotter{s}, height: squareHeight,
		caption: s.caption,
	}
}

// componentLabel names an axis with the share of the variance that it explains.
func componentLabel(component int, share float64, of string) string {
	if share == 0 {
		return fmt.Sprintf("component %d", component)
	}
	return fmt.Sprintf("component %d (%.0f %%%s)", component, 100*share, of)
}

// Plot draws the draws, the two regions, the corrupted versions, the mildest first, with their
// lines and names, and the clean image.
func (s scatter) Plot(canvas draw.Canvas, axes *plot.Plot) {
	at := placeOf(&canvas, axes)
	for _, point := range s.cloud.Draws {
		paintDot(canvas, drawStyle.colour, drawRadius, at(point))
	}
	paths := s.paths()
	names := s.names(canvas, paths, at)
	for i, path := range paths {
		points := []vg.Point{at(s.cloud.Clean)}
		for _, version := range path {
			points = append(points, at(s.cloud.Corrupted[version]))
		}
		style := pathStyle
		if _, named := names[i]; named {
			style = namedPath
		}
		canvas.StrokeLines(style, points)
	}
	s.plotRegions(canvas, axes, at)
	for i := range paths {
		if name, named := names[i]; named {
			name.paint(canvas)
		}
	}
	for severity := 1; severity <= severities; severity++ {
		for i, point := range s.cloud.Corrupted {
			if s.cloud.Severity[i] == severity {
				drawVersion(&canvas, severityStyle(severity), at(point), s.ellipse.Inside(point))
			}
		}
	}
	drawMarker(&canvas, cleanStyle, at(s.cloud.Clean))
}

// plotRegions draws the ellipse and the outline of the neighbours' region.
func (s scatter) plotRegions(canvas draw.Canvas, axes *plot.Plot, at func([2]float64) vg.Point) {
	strokeClosed(canvas, ellipseStyle, s.outline, at)
	outline := plotter.NewContour(newNearbyGrid(s), []float64{1}, nil)
	outline.LineStyles = []draw.LineStyle{nearbyOutline.line()}
	outline.Plot(canvas, axes)
}

// nearbyGrid holds the distance from the draws at evenly spaced points around them.
type nearbyGrid struct {
	x, y   span
	values []float64 // [gridSide][gridSide], the lowest row first
}

const gridSide = 100

func newNearbyGrid(s scatter) nearbyGrid {
	x, y := includePoints(nothing(), nothing(), s.cloud.Draws)
	g := nearbyGrid{x: x.widen(0.15), y: y.widen(0.15)}
	for r := range gridSide {
		for c := range gridSide {
			g.values = append(g.values, s.near.Distance([]float64{g.X(c), g.Y(r)}))
		}
	}
	return g
}

// Dims, X, Y and Z make the grid a plotter.GridXYZ.
func (g nearbyGrid) Dims() (columns, rows int) { return gridSide, gridSide }
func (g nearbyGrid) X(column int) float64      { return g.x.part(column) }
func (g nearbyGrid) Y(row int) float64         { return g.y.part(row) }
func (g nearbyGrid) Z(column, row int) float64 { return g.values[row*gridSide+column] }
func (s span) part(step int) float64 {
	return s.low + (s.high-s.low)*float64(step)/(gridSide-1)
}

// paths returns the versions of each corruption by severity, the farthest end from the draws first.
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
		slices.SortFunc(path, func(a, b int) int {
			return s.cloud.Severity[a] - s.cloud.Severity[b]
		})
	}
	slices.SortStableFunc(paths, func(a, b []int) int {
		return cmp.Compare(s.distance(b[len(b)-1]), s.distance(a[len(a)-1]))
	})
	return paths
}

func (s scatter) distance(version int) float64 {
	return s.ellipse.Distance(s.cloud.Corrupted[version])
}

func drawVersion(canvas *draw.Canvas, look style, at vg.Point, filled bool) {
	drawMarker(canvas, look, at)
	if !filled {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.55 * markerRadius,
			Shape: look.marker}, at)
	}
}

// Limits of the names of corruptions in a scatter.
const (
	pathNames              = 6 // most
	pathNameSize vg.Length = 9.5
	nameGap                = markerRadius + 2.5 // between a point and its name
	nameSteps              = 3                  // distances from the point that are tried
)

// pathName is the name of a corruption and its place.
type pathName struct {
	text string
	box  vg.Rectangle
	of   vg.Point // the point that it names
}

// names places the names of corruptions that end outside of the ellipse, by their places among the
// paths, at their last severities, where they hide no other name and no point outside.
func (s scatter) names(canvas draw.Canvas, paths [][]int,
	at func([2]float64) vg.Point) map[int]pathName {
	var taken []vg.Rectangle
	for _, point := range append([][2]float64{s.cloud.Clean}, s.cloud.Corrupted...) {
		half := xy(markerRadius, markerRadius)
		taken = append(taken, vg.Rectangle{Min: at(point).Sub(half), Max: at(point).Add(half)})
	}
	names := map[int]pathName{}
	for i, path := range paths {
		last := path[len(path)-1]
		if len(names) == pathNames || s.ellipse.Inside(s.cloud.Corrupted[last]) {
			break
		}
		text, of := strings.ReplaceAll(s.cloud.Corruption[last], "_", " "),
			at(s.cloud.Corrupted[last])
		if box, found := freeBox(canvas, of, text, taken); found {
			names[i], taken = pathName{text, box, of}, append(taken, box)
		}
	}
	return names
}

// leader is the line from a name to its point.
var leader = pen(ink, gridWidth)

// paint writes the name on a see-through white ground, which sets it off from lines.
func (n pathName) paint(canvas draw.Canvas) {
	canvas.StrokeLine2(leader, n.of.X, n.of.Y, max(n.box.Min.X, min(n.of.X, n.box.Max.X)),
		max(n.box.Min.Y, min(n.of.Y, n.box.Max.Y)))
	fill(canvas, n.box, seeThrough(0xffffff, 0xc8))
	write(canvas, n.text, pathNameSize, ink, draw.XLeft,
		xy(n.box.Min.X, (n.box.Min.Y+n.box.Max.Y)/2))
}

// freeBox returns the first free place of a text around a point, inside the canvas: the nearest
// first, to the right and then around the clock.
func freeBox(canvas draw.Canvas, point vg.Point, text string, taken []vg.Rectangle) (vg.Rectangle,
	bool) {
	half := xy(textWidth(text, pathNameSize)/2, pathNameSize/2)
	for step := range nameSteps {
		gap := nameGap + 4*vg.Length(step)
		for _, direction := range []float64{0, math.Pi, math.Pi / 2, -math.Pi / 2, math.Pi / 4,
			-math.Pi / 4, 3 * math.Pi / 4, -3 * math.Pi / 4} {
			out := onCircle(direction, 1)
			centre := point.Add(xy(out.X*(gap+half.X), out.Y*(gap+half.Y)))
			box := vg.Rectangle{Min: centre.Sub(half), Max: centre.Add(half)}
			if contains(canvas.Rectangle, box) &&
				!slices.ContainsFunc(taken, func(other vg.Rectangle) bool {
					return overlap(box, other)
				}) {
				return box, true
			}
		}
	}
	return vg.Rectangle{}, false
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func contains(whole, box vg.Rectangle) bool {
	return box.Min.X >= whole.Min.X && box.Max.X <= whole.Max.X && box.Min.Y >= whole.Min.Y &&
		box.Max.Y <= whole.Max.Y
}
