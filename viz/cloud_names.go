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
	text string
	box  vg.Rectangle
	of   vg.Point // the point that it names
}

// names places the names of corruptions that end outside of the ellipse, by their places among the
// paths, at their last severities, where they hide no other name and no point outside.
func (s scatter) names(canvas draw.Canvas, paths [][]int, at func([2]float64) vg.Point) map[int]pathName {
	var taken []vg.Rectangle
	for _, point := range append([][2]float64{s.cloud.Clean}, s.cloud.Corrupted...) {
		half := vg.Point{X: markerRadius, Y: markerRadius}
		taken = append(taken, vg.Rectangle{Min: at(point).Sub(half), Max: at(point).Add(half)})
	}
	names := map[int]pathName{}
	for i, path := range paths {
		last := path[len(path)-1]
		if len(names) == pathNames || s.ellipse.Inside(s.cloud.Corrupted[last]) {
			break
		}
		text, of := strings.ReplaceAll(s.cloud.Corruption[last], "_", " "), at(s.cloud.Corrupted[last])
		if box, found := freeBox(canvas, of, text, taken); found {
			names[i], taken = pathName{text, box, of}, append(taken, box)
		}
	}
	return names
}

// leader is the line from a name to its point.
var leader = draw.LineStyle{Color: ink, Width: gridWidth}

// paint writes the name on a see-through white ground, which sets it off from lines.
func (n pathName) paint(canvas draw.Canvas) {
	canvas.StrokeLine2(leader, n.of.X, n.of.Y, max(n.box.Min.X, min(n.of.X, n.box.Max.X)), max(n.box.Min.Y, min(n.of.Y, n.box.Max.Y)))
	fill(canvas, n.box, color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xc8})
	write(canvas, n.text, pathNameSize, ink, draw.XLeft, vg.Point{X: n.box.Min.X, Y: (n.box.Min.Y + n.box.Max.Y) / 2})
}

// freeBox returns the first free place of a text around a point, inside the canvas: the nearest
// first, to the right and then around the clock.
func freeBox(canvas draw.Canvas, point vg.Point, text string, taken []vg.Rectangle) (vg.Rectangle, bool) {
	half := vg.Point{X: textWidth(text, pathNameSize) / 2, Y: pathNameSize / 2}
	for step := range nameSteps {
		gap := nameGap + 4*vg.Length(step)
		for _, direction := range []float64{0, math.Pi, math.Pi / 2, -math.Pi / 2, math.Pi / 4, -math.Pi / 4, 3 * math.Pi / 4, -3 * math.Pi / 4} {
			out := onCircle(direction, 1)
			centre := point.Add(vg.Point{X: out.X * (gap + half.X), Y: out.Y * (gap + half.Y)})
			box := vg.Rectangle{Min: centre.Sub(half), Max: centre.Add(half)}
			if contains(canvas.Rectangle, box) && !slices.ContainsFunc(taken, func(other vg.Rectangle) bool { return overlap(box, other) }) {
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
	return box.Min.X >= whole.Min.X && box.Max.X <= whole.Max.X && box.Min.Y >= whole.Min.Y && box.Max.Y <= whole.Max.Y
}
