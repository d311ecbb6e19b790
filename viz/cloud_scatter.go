package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scatter is a cloud with its regions.
type scatter struct {
	cloud   Cloud
	ellipse Ellipse
	outline [][2]float64 // of the ellipse
	near    *Neighbours
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
	if s.near, err = NewNeighbours(draws); err != nil {
		return s, err
	}
	s.outline = s.ellipse.outline(181)
	inEllipse, near := make([]bool, len(cloud.Corrupted)), make([]bool, len(cloud.Corrupted))
	for i, point := range cloud.Corrupted {
		inEllipse[i], near[i] = s.ellipse.Inside(point), s.near.Inside(point[:])
	}
	s.tests = append([]CloudTest{{"in the 99 % ellipse", "in ellipse", inEllipse}, {"near the draws", "near", near}}, cloud.Tests...)
	return s, nil
}

func severityStyle(severity int) style {
	return style{colour: severe.at(float64(severity-1) / (severities - 1)), marker: draw.CircleGlyph{}}
}

// drawRadius is that of the dot of a draw, in points.
const drawRadius = vg.Length(1.2)

// Styles of the cloud itself.
var (
	drawStyle     = style{colour: color.NRGBA{R: 0x98, G: 0x98, B: 0x98, A: 0x70}, marker: draw.CircleGlyph{}}
	pathStyle     = draw.LineStyle{Color: color.NRGBA{R: 0x80, G: 0x50, B: 0x50, A: 0x60}, Width: gridWidth}
	namedPath     = draw.LineStyle{Color: color.NRGBA{R: 0x60, G: 0x30, B: 0x30, A: 0xd0}, Width: axisWidth}
	ellipseStyle  = style{colour: ink, width: barWidth}
	nearbyOutline = style{colour: softInk, width: barWidth, dashes: dottedDashes}
	cleanStyle    = style{colour: ink, marker: star(5, 1.9)}
)

// scatterEntries are those of the legend without severities, which the table shows.
var scatterEntries = []entry{
	{name: "draws of the latents", style: drawStyle}, {name: "99 % ellipse", style: ellipseStyle},
	{name: "near the draws", style: nearbyOutline}, {name: "clean image", style: cleanStyle},
}

func severityEntries() (entries []entry) {
	for severity := 1; severity <= severities; severity++ {
		entries = append(entries, entry{name: fmt.Sprintf("severity %d", severity), style: severityStyle(severity)})
	}
	return entries
}

// scatterRow puts the panels side by side, on the same axes, under one legend.
func scatterRow(scatters []scatter, entries []entry) (*Figure, error) {
	x, y := nothing(), nothing()
	for _, s := range scatters {
		x, y = includePoints(x, y, s.cloud.Draws, s.cloud.Corrupted, [][2]float64{s.cloud.Clean}, s.outline)
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
	return SharedRow(panels...)
}

// leastScatter is the least height of a scatter, without the legend.
const leastScatter = 2.9 * vg.Inch

// chart places the points.
func (s scatter) chart(x, y span) chart {
	return chart{
		xLabel: componentLabel(1, s.cloud.Share[0], " of variance"), yLabel: componentLabel(2, s.cloud.Share[1], ""), x: x, y: y,
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
		if _, named := names[i]; named {
			canvas.StrokeLines(namedPath, points)
		} else {
			canvas.StrokeLines(pathStyle, points)
		}
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
func (s span) part(step int) float64           { return s.low + (s.high-s.low)*float64(step)/(gridSide-1) }

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

func (s scatter) distance(version int) float64 { return s.ellipse.Distance(s.cloud.Corrupted[version]) }

func drawVersion(canvas *draw.Canvas, look style, at vg.Point, filled bool) {
	drawMarker(canvas, look, at)
	if !filled {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.55 * markerRadius, Shape: look.marker}, at)
	}
}
