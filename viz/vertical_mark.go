package viz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// verticalMark is a dashed line across the height of the axes, with a triangle on its foot.
type verticalMark float64

// Plot draws the line unless its place is outside of the axes.
func (m verticalMark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	if float64(m) < axes.X.Min || float64(m) > axes.X.Max {
		return
	}
	toX, _ := axes.Transforms(&canvas)
	x := toX(float64(m))
	canvas.StrokeLine2(draw.LineStyle{Color: softInk, Width: axisWidth, Dashes: paperDashes}, x, canvas.Min.Y, x, canvas.Max.Y)
	foot := vg.Point{X: x, Y: canvas.Min.Y}
	canvas.FillPolygon(ink, []vg.Point{foot.Add(vg.Point{Y: 7}), foot.Add(vg.Point{X: -5}), foot.Add(vg.Point{X: 5})})
}
