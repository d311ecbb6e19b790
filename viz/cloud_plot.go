package viz

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the draws, the two regions, the corrupted versions, the mildest first, with their
// lines and names, and the clean image.
func (s scatter) Plot(canvas draw.Canvas, axes *plot.Plot) {
	at := placeOf(&canvas, axes)
	for _, point := range s.cloud.Draws {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: drawStyle.colour, Radius: 1.2, Shape: drawStyle.marker}, at(point))
	}
	paths := s.paths()
	names := s.names(canvas, paths, at)
	for i, path := range paths {
		points := []vg.Point{at(s.cloud.Clean)}
		for _, version := range path {
			points = append(points, at(s.cloud.Corrupted[version]))
		}
		look := pathStyle
		if names.has(i) {
			look = namedPath
		}
		canvas.StrokeLines(look, points)
	}
	s.plotRegions(canvas, axes, at)
	names.paint(canvas)
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
	line := make([]vg.Point, len(s.outline))
	for i, point := range s.outline {
		line[i] = at(point)
	}
	canvas.StrokeLines(ellipseStyle.line(), line)
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
	g := nearbyGrid{x: nothing(), y: nothing()}
	for _, draw := range s.cloud.Draws {
		g.x, g.y = g.x.include(draw[0]), g.y.include(draw[1])
	}
	g.x, g.y = g.x.widen(0.15), g.y.widen(0.15)
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

// distance returns how far from the draws a corrupted version is.
func (s scatter) distance(version int) float64 { return s.ellipse.Distance(s.cloud.Corrupted[version]) }

// drawVersion draws a corrupted version, filled or hollow.
func drawVersion(canvas *draw.Canvas, look style, at vg.Point, filled bool) {
	drawMarker(canvas, look, at)
	if !filled {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.55 * markerRadius, Shape: look.marker}, at)
	}
}
