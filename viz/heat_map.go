package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Sizes of a heat map, in points.
const (
	heatWidth  vg.Length = 46 // of a cell
	heatHeight vg.Length = 17 // of a row, at least
	heatGap    vg.Length = 1  // between cells
	heatText   vg.Length = 10
	heatHeader vg.Length = 20 // height of the title and of the column captions, each
	scaleGap   vg.Length = 14 // between the cells and the colour scale
	scaleWidth vg.Length = 11 // of the colour scale
)

// heatMap is a map of cells with its colours and its measures.
type heatMap struct {
	cells    CellMap // in the unit of the metric's label
	quantity score.Metric
	signed   bool
	colours  ramp
	scale    span // values of the ramp's ends
	left     vg.Length
	ticks    vg.Length // width of the scale's labels
}

// HeatMap draws maps of one metric side by side as colours with the means written in them, the
// larger the darker, and a colour scale. A colour means the same in all.
func HeatMap(maps ...CellMap) (*Figure, error) {
	figures := make([]*Figure, len(maps))
	all := nothing()
	for _, cells := range maps {
		if err := cells.check(); err != nil {
			return nil, err
		}
		if cells.Metric != maps[0].Metric {
			return nil, fmt.Errorf("viz: map %q is of %s and %q of %s: give maps of one metric",
				maps[0].Name, maps[0].Metric, cells.Name, cells.Metric)
		}
		values := cells.span()
		all = all.include(values.low, values.high)
	}
	for i, cells := range maps {
		figures[i] = newHeatMap(cells, sequential, all, false).figure()
	}
	return Row(figures...)
}

// DifferenceMap draws the metric of one method minus another's in every cell: blue where it is
// better, orange where it is worse, pale where they agree. Lower values of a metric without a best
// one are blue.
func DifferenceMap(of, from CellMap) (*Figure, error) {
	h, err := newDifferenceMap(of, from)
	if err != nil {
		return nil, err
	}
	return h.figure(), nil
}

// newDifferenceMap checks two maps and subtracts them.
func newDifferenceMap(of, from CellMap) (h heatMap, err error) {
	for _, cells := range []CellMap{of, from} {
		if err := cells.check(); err != nil {
			return h, err
		}
	}
	difference, err := of.minus(from)
	if err != nil {
		return h, err
	}
	values := difference.span()
	if values.low > values.high {
		return h, difference.check()
	}
	end := math.Max(math.Abs(values.low), math.Abs(values.high))
	if end <= rounding*math.Max(of.span().size(), from.span().size()) {
		end = 0
	}
	colours := diverging
	if quantity, _ := score.MetricByName(of.Metric); quantity.HigherIsBetter && !quantity.NoBest {
		colours = slices.Clone(colours)
		slices.Reverse(colours)
	}
	return newHeatMap(difference, colours, span{-end, end}, true), nil
}

// newHeatMap puts checked cells into the unit of the metric's label and measures the captions.
func newHeatMap(cells CellMap, colours ramp, values span, signed bool) heatMap {
	quantity, _ := score.MetricByName(cells.Metric)
	h := heatMap{cells: cells, quantity: quantity, signed: signed, colours: colours}
	ends := shown(quantity, []float64{values.low, values.high})
	if h.scale = (span{ends[0], ends[1]}); h.scale.flat() {
		h.scale = h.scale.widen(0.5)
	}
	h.cells.Rows, h.cells.Columns, h.cells.Mean = captions(cells.Rows), captions(cells.Columns), nil
	for _, row := range cells.Mean {
		h.cells.Mean = append(h.cells.Mean, shown(quantity, row))
	}
	h.left = margin + max(widest(h.cells.Rows), textWidth(cells.Corner, tickSize)) + 8
	for _, tick := range h.scaleTicks() {
		h.ticks = max(h.ticks, textWidth(tick.Label, tickSize))
	}
	return h
}

// place returns the value's place on the ramp, 0 to 1.
func (h heatMap) place(value float64) float64 {
	return (value - h.scale.low) / (h.scale.high - h.scale.low)
}

func (h heatMap) scaleTicks() []plot.Tick {
	return ticker{5, false}.Ticks(h.scale.low, h.scale.high)
}

// row returns the height of a row. Few are higher, so that the labels of the scale have room.
func (h heatMap) row() vg.Length { return heatHeight * max(1, 3/vg.Length(len(h.cells.Rows))) }

// decimals returns the number of decimals in a cell: one more than usual if the values hardly
// differ.
func (h heatMap) decimals() int {
	decimals := h.quantity.Decimals() - 1
	if h.scale.high-h.scale.low < 20*math.Pow(10, -float64(decimals)) {
		decimals++
	}
	return decimals
}

// text writes a value as its cell does. A difference has a sign unless it rounds to zero.
func (h heatMap) text(value float64) string {
	text := quantity.Signed(value, h.decimals())
	if !h.signed {
		text = strings.TrimPrefix(text, "+")
	}
	return text
}

// figure lays the map out.
func (h heatMap) figure() *Figure {
	rows, columns := len(h.cells.Rows), len(h.cells.Columns)
	size := xy(heatWidth*vg.Length(columns), h.row()*vg.Length(rows))
	axes := overlay(rows, columns)
	return newFigure(layout{
		width:  h.left + size.X + scaleGap + scaleWidth + tickLength + 3 + h.ticks + margin,
		body:   2*heatHeader + size.Y + captionHeight + 2*margin,
		middle: h.left + size.X/2, paint: func(canvas draw.Canvas, header vg.Length) {
			corner := xy(canvas.Min.X+h.left, canvas.Max.Y-header-margin-2*heatHeader-size.Y)
			cells := vg.Rectangle{Min: corner, Max: corner.Add(size)}
			h.paint(canvas, cells)
			paintOverlay(canvas, axes, cells)
		},
	}, axes)
}

// paint draws the map with its cells at a place.
func (h heatMap) paint(canvas draw.Canvas, cells vg.Rectangle) {
	middle, width := (cells.Min.X+cells.Max.X)/2, cells.Size().X
	title := h.title()
	size := fitted(title, labelSize, width+2*min(h.left, scaleGap+scaleWidth+h.ticks)-2*margin)
	write(canvas, title, size, ink, draw.XCenter, xy(middle, cells.Max.Y+1.5*heatHeader))
	h.paintCaptions(canvas, xy(cells.Min.X, cells.Max.Y))
	for i, row := range h.cells.Mean {
		for j, value := range row {
			least := xy(cells.Min.X+heatWidth*vg.Length(j), cells.Max.Y-h.row()*vg.Length(i+1))
			h.paintCell(canvas,
				vg.Rectangle{Min: least,
					Max: least.Add(xy(heatWidth-heatGap, h.row()-heatGap))}, value)
		}
	}
	h.paintScale(canvas, xy(cells.Max.X+scaleGap, cells.Max.Y))
	caption := h.caption()
	write(canvas, caption, fitted(caption, tickSize, width+2*scaleGap), softInk, draw.XCenter,
		xy(middle, cells.Min.Y-captionHeight/2-margin/2))
}

// caption describes the test and the number of seeds of the means.
func (h heatMap) caption() string {
	if h.cells.Seeds < 2 {
		return measured(h.cells.Test, "", []Series{{Seeds: h.cells.Seeds}})
	}
	return joined(h.cells.Test, fmt.Sprintf("mean over %d seeds", h.cells.Seeds))
}

// title names the method and the metric, and explains a difference.
func (h heatMap) title() string {
	title := h.quantity.Label()
	if h.cells.Name != "" {
		title = h.cells.Name + ": " + title
	}
	switch {
	case !h.signed || h.quantity.NoBest:
	case h.quantity.HigherIsBetter:
		title += ", above 0 is better"
	default:
		title += ", below 0 is better"
	}
	return title
}

// paintCell draws one value; a cell without one, for example of a stopped run, is grey.
func (h heatMap) paintCell(canvas draw.Canvas, place vg.Rectangle, value float64) {
	if math.IsNaN(value) {
		fill(canvas, place, gridInk)
		return
	}
	colour := h.colours.at(h.place(value))
	fill(canvas, place, colour)
	middle := xy((place.Min.X+place.Max.X)/2, (place.Min.Y+place.Max.Y)/2)
	text := h.text(value)
	write(canvas, text, fitted(text, heatText, heatWidth-4*heatGap), inkOn(colour), draw.XCenter,
		middle)
}

// paintCaptions names the rows and the columns around the cells.
func (h heatMap) paintCaptions(canvas draw.Canvas, cells vg.Point) {
	above := cells.Y + heatHeader/2
	write(canvas, h.cells.Corner, tickSize, softInk, draw.XRight, xy(cells.X-8, above))
	for j, caption := range h.cells.Columns {
		at := xy(cells.X+heatWidth*(vg.Length(j)+0.5), above)
		write(canvas, caption, fitted(caption, tickSize, heatWidth-2*heatGap), ink, draw.XCenter,
			at)
	}
	for i, caption := range h.cells.Rows {
		write(canvas, caption, tickSize, ink, draw.XRight,
			xy(cells.X-8, cells.Y-h.row()*(vg.Length(i)+0.5)))
	}
}

// paintScale draws the colours with their values, as high as the cells.
func (h heatMap) paintScale(canvas draw.Canvas, corner vg.Point) {
	const steps = 64
	height := h.row()*vg.Length(len(h.cells.Rows)) - heatGap
	bottom := corner.Y - height
	for step := range steps {
		low := bottom + height*vg.Length(step)/steps
		// Half a step higher than needed, so that no seam shows between this colour and the next.
		piece := vg.Rectangle{Min: xy(corner.X, low),
			Max: xy(corner.X+scaleWidth, min(corner.Y, low+1.5*height/steps))}
		fill(canvas, piece, h.colours.at((float64(step)+0.5)/steps))
	}
	for _, tick := range h.scaleTicks() {
		y := bottom + height*vg.Length(h.place(tick.Value))
		right := corner.X + scaleWidth
		canvas.StrokeLine2(pen(ink, axisWidth), right, y, right+tickLength, y)
		write(canvas, tick.Label, tickSize, ink, draw.XLeft, xy(right+tickLength+3, y))
	}
}
