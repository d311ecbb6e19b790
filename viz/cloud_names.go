package viz

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Limits of the names of corruptions in a scatter.
const (
	pathNames    = 6 // most
	pathNameSize = vg.Length(9.5)
	nameGap      = markerRadius + 2.5 // between a point and its name
	nameSteps    = 3                  // distances from the point that are tried
)

// pathName is the name of a corruption at its place.
type pathName struct {
	path int // place among the scatter's paths
	text string
	box  vg.Rectangle
	of   vg.Point // the point that it names
}

type namesOfPaths []pathName

// names places the names of corruptions that end outside of the ellipse, at their last severities,
// where they hide no other name and no point outside.
func (s scatter) names(canvas draw.Canvas, paths [][]int, at func([2]float64) vg.Point) (names namesOfPaths) {
	var points []vg.Rectangle
	for _, point := range append([][2]float64{s.cloud.Clean}, s.cloud.Corrupted...) {
		points = append(points, squareAround(at(point), markerRadius))
	}
	for i, path := range paths {
		last := path[len(path)-1]
		if len(names) == pathNames || s.ellipse.Inside(s.cloud.Corrupted[last]) {
			break
		}
		text := strings.ReplaceAll(s.cloud.Corruption[last], "_", " ")
		free := func(box vg.Rectangle) bool {
			hides := func(other vg.Rectangle) bool { return overlap(box, other) }
			named := func(other pathName) bool { return hides(other.box) }
			return !slices.ContainsFunc(names, named) && !slices.ContainsFunc(points, hides)
		}
		if box, found := freeBox(canvas, at(s.cloud.Corrupted[last]), text, free); found {
			names = append(names, pathName{i, text, box, at(s.cloud.Corrupted[last])})
		}
	}
	return names
}

func (n namesOfPaths) has(path int) bool {
	return slices.ContainsFunc(n, func(name pathName) bool { return name.path == path })
}

// leader is the line from a name to its point.
var leader = draw.LineStyle{Color: ink, Width: gridWidth}

// paint writes the names on a see-through white ground, which sets them off from lines.
func (n namesOfPaths) paint(canvas draw.Canvas) {
	for _, name := range n {
		box := name.box
		canvas.StrokeLine2(leader, name.of.X, name.of.Y, max(box.Min.X, min(name.of.X, box.Max.X)), max(box.Min.Y, min(name.of.Y, box.Max.Y)))
		fill(canvas, box, color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xc8})
		write(canvas, name.text, pathNameSize, ink, draw.XLeft, vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2})
	}
}

// freeBox returns the first free place of a text around a point, inside the canvas: the nearest
// first, to the right and then around the clock.
func freeBox(canvas draw.Canvas, point vg.Point, text string, free func(vg.Rectangle) bool) (vg.Rectangle, bool) {
	half := vg.Point{X: textWidth(text, pathNameSize) / 2, Y: pathNameSize / 2}
	for step := range nameSteps {
		gap := nameGap + 4*vg.Length(step)
		for _, direction := range []float64{0, math.Pi, math.Pi / 2, -math.Pi / 2, math.Pi / 4, -math.Pi / 4, 3 * math.Pi / 4, -3 * math.Pi / 4} {
			out := onCircle(direction, 1)
			centre := point.Add(vg.Point{X: out.X * (gap + half.X), Y: out.Y * (gap + half.Y)})
			box := vg.Rectangle{Min: centre.Sub(half), Max: centre.Add(half)}
			if contains(canvas.Rectangle, box) && free(box) {
				return box, true
			}
		}
	}
	return vg.Rectangle{}, false
}

func squareAround(point vg.Point, radius vg.Length) vg.Rectangle {
	corner := vg.Point{X: radius, Y: radius}
	return vg.Rectangle{Min: point.Sub(corner), Max: point.Add(corner)}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func contains(whole, box vg.Rectangle) bool {
	return box.Min.X >= whole.Min.X && box.Max.X <= whole.Max.X && box.Min.Y >= whole.Min.Y && box.Max.Y <= whole.Max.Y
}
