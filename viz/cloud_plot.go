package viz

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
