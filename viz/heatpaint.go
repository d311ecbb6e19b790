package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// paint draws the map with its upper left corner, inside the margin, at origin.
func (h heatMap) paint(canvas draw.Canvas, origin vg.Point) {
	cells := vg.Point{X: origin.X + h.left, Y: origin.Y - 2*heatHeader}
	title := h.title()
	width := heatWidth * vg.Length(len(h.cells.Columns))
	size := fitted(title, labelSize, width+2*min(h.left, scaleGap+scaleWidth+h.ticks)-2*margin)
	write(canvas, title, size, ink, draw.XCenter, vg.Point{X: cells.X + width/2, Y: origin.Y - heatHeader/2})
	h.paintCaptions(canvas, cells)
	for i, row := range h.cells.Mean {
		for j, value := range row {
			h.paintCell(canvas, h.cell(cells, i, j), value)
		}
	}
	h.paintScale(canvas, vg.Point{X: cells.X + width + scaleGap, Y: cells.Y})
	if caption := h.caption(); caption != "" {
		bottom := cells.Y - heatHeight*vg.Length(len(h.cells.Rows))
		write(canvas, caption, fitted(caption, captionSize, width+2*scaleGap), softInk, draw.XCenter, vg.Point{X: cells.X + width/2, Y: bottom - captionHeight/2 - margin/2})
	}
}

// caption says what was measured and over how many seeds the means are.
func (h heatMap) caption() string {
	test := h.cells.Test
	if h.cells.Seeds < 2 {
		return testCaption(test, []series{{name: h.cells.Name, seeds: h.cells.Seeds}})
	}
	over := fmt.Sprintf("mean over %d seeds", h.cells.Seeds)
	if test == "" {
		return over
	}
	return test + "; " + over
}

// title names the method and the metric, and says how to read a difference: every metric is the better the lower it is.
func (h heatMap) title() string {
	title := h.quantity.label
	if h.cells.Name != "" {
		title = h.cells.Name + ": " + title
	}
	if h.signed {
		title += ", below 0 is better"
	}
	return title
}

// cell returns the place of one cell, given the upper left corner of all.
func (h heatMap) cell(corner vg.Point, row, column int) vg.Rectangle {
	least := vg.Point{X: corner.X + heatWidth*vg.Length(column), Y: corner.Y - heatHeight*vg.Length(row+1)}
	return vg.Rectangle{Min: least, Max: least.Add(vg.Point{X: heatWidth - heatGap, Y: heatHeight - heatGap})}
}

// paintCell draws one value; a cell without one stays white.
func (h heatMap) paintCell(canvas draw.Canvas, place vg.Rectangle, value float64) {
	if math.IsNaN(value) {
		return
	}
	colour := h.colours.at(h.place(value))
	canvas.SetColor(colour)
	canvas.Fill(place.Path())
	middle := vg.Point{X: (place.Min.X + place.Max.X) / 2, Y: (place.Min.Y + place.Max.Y) / 2}
	text := h.text(value)
	write(canvas, text, fitted(text, heatText, heatWidth-4*heatGap), inkOn(colour), draw.XCenter, middle)
}

// paintCaptions names the rows and the columns around the cells.
func (h heatMap) paintCaptions(canvas draw.Canvas, cells vg.Point) {
	above := cells.Y + heatHeader/2
	write(canvas, h.cells.Corner, tickSize, softInk, draw.XRight, vg.Point{X: cells.X - 8, Y: above})
	for j, caption := range h.cells.Columns {
		at := vg.Point{X: cells.X + heatWidth*(vg.Length(j)+0.5), Y: above}
		write(canvas, caption, fitted(caption, tickSize, heatWidth-2*heatGap), ink, draw.XCenter, at)
	}
	for i, caption := range h.cells.Rows {
		write(canvas, caption, tickSize, ink, draw.XRight, vg.Point{X: cells.X - 8, Y: cells.Y - heatHeight*(vg.Length(i)+0.5)})
	}
}

// paintScale draws the colours with their values, as high as the cells.
func (h heatMap) paintScale(canvas draw.Canvas, corner vg.Point) {
	const steps = 64
	height := heatHeight*vg.Length(len(h.cells.Rows)) - heatGap
	bottom := corner.Y - height
	for step := range steps {
		low := bottom + height*vg.Length(step)/steps
		// Half a step higher than needed, so that no seam shows between this colour and the next.
		piece := vg.Rectangle{Min: vg.Point{X: corner.X, Y: low}, Max: vg.Point{X: corner.X + scaleWidth, Y: min(corner.Y, low+1.5*height/steps)}}
		canvas.SetColor(h.colours.at((float64(step) + 0.5) / steps))
		canvas.Fill(piece.Path())
	}
	for _, tick := range h.scale.ticks(5) {
		y := bottom + height*vg.Length(h.place(tick.Value))
		right := corner.X + scaleWidth
		canvas.StrokeLine2(draw.LineStyle{Color: ink, Width: axisWidth}, right, y, right+tickLength, y)
		write(canvas, tick.Label, captionSize, ink, draw.XLeft, vg.Point{X: right + tickLength + 3, Y: y})
	}
}
