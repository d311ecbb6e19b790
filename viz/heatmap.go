package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a heat map, in points.
const (
	heatWidth  = vg.Length(46) // of a cell
	heatHeight = vg.Length(17)
	heatGap    = vg.Length(1) // between cells
	heatText   = vg.Length(10)
	heatHeader = vg.Length(20) // height of the title and of the column captions, each
	scaleGap   = vg.Length(14) // between the cells and the colour scale
	scaleWidth = vg.Length(11) // of the colour scale
)

// heatMap is a map of cells with its colours and its measures.
type heatMap struct {
	cells    CellMap // in the unit of the metric's label
	quantity metric
	signed   bool
	colours  ramp
	scale    span // values of the ramp's ends
	left     vg.Length
	ticks    vg.Length // width of the scale's labels
}

// HeatMap draws the cells of a method as colours with the means written in them, the larger the darker, and a colour scale.
func HeatMap(cells CellMap) (*Figure, error) { return SharedHeatMaps(cells) }

// SharedHeatMaps draws maps of one metric side by side with one range of colours, so that a colour means the same in all.
func SharedHeatMaps(maps ...CellMap) (*Figure, error) {
	figures := make([]*Figure, len(maps))
	all := nothing()
	for _, cells := range maps {
		if err := cells.check(); err != nil {
			return nil, err
		}
		if cells.Metric != maps[0].Metric {
			return nil, fmt.Errorf("viz: map %q is of %s and %q of %s: give maps of one metric", maps[0].Name, maps[0].Metric, cells.Name, cells.Metric)
		}
		values := cells.span()
		all = all.include(values.low, values.high)
	}
	for i, cells := range maps {
		figures[i] = newHeatMap(cells, sequential, all, false).figure()
	}
	return Row(figures...)
}

// DifferenceMap draws how far the metric of one method is above that of another in every cell: blue where it is lower, orange
// where it is higher, pale where they agree.
func DifferenceMap(of, from CellMap) (*Figure, error) {
	for _, cells := range []CellMap{of, from} {
		if err := cells.check(); err != nil {
			return nil, err
		}
	}
	difference, err := of.minus(from)
	if err != nil {
		return nil, err
	}
	values := difference.span()
	if values.low > values.high {
		return nil, difference.check()
	}
	end := math.Max(math.Abs(values.low), math.Abs(values.high))
	if end <= rounding*math.Max(of.span().size(), from.span().size()) {
		end = 0
	}
	return newHeatMap(difference, diverging, span{-end, end}, true).figure(), nil
}

// newHeatMap puts checked cells into the unit of the metric's label and measures the captions.
func newHeatMap(cells CellMap, colours ramp, values span, signed bool) heatMap {
	quantity, _ := metricByName(cells.Metric)
	h := heatMap{cells: cells, quantity: quantity, signed: signed, colours: colours}
	ends := quantity.inUnits([]float64{values.low, values.high})
	if h.scale = (span{ends[0], ends[1]}); h.scale.flat() {
		h.scale = h.scale.widen(0.5)
	}
	h.cells.Rows, h.cells.Columns, h.cells.Mean = captions(cells.Rows), captions(cells.Columns), nil
	for _, row := range cells.Mean {
		h.cells.Mean = append(h.cells.Mean, quantity.inUnits(row))
	}
	h.left = margin + max(widest(h.cells.Rows), textWidth(cells.Corner, tickSize)) + 8
	for _, tick := range h.scale.ticks(5) {
		h.ticks = max(h.ticks, textWidth(tick.Label, captionSize))
	}
	return h
}

// place returns the value's place on the ramp, 0 to 1.
func (h heatMap) place(value float64) float64 {
	return (value - h.scale.low) / (h.scale.high - h.scale.low)
}

// decimals is the number of decimals in a cell: one more than usual where the values hardly differ.
func (h heatMap) decimals() int {
	decimals := h.quantity.cellDecimals()
	if h.scale.high-h.scale.low < 20*math.Pow(10, -float64(decimals)) {
		decimals++
	}
	return decimals
}

// text writes a value as its cell does.
func (h heatMap) text(value float64) string {
	text := strconv.FormatFloat(value, 'f', h.decimals(), 64)
	switch zero := !strings.ContainsAny(text, "123456789"); {
	case zero:
		return strings.TrimPrefix(text, "-")
	case h.signed && value > 0:
		return "+" + text
	}
	return text
}

// figure lays the map out.
func (h heatMap) figure() *Figure {
	width := h.left + heatWidth*vg.Length(len(h.cells.Columns)) + scaleGap + scaleWidth + tickLength + 3 + h.ticks + margin
	body := 2*heatHeader + heatHeight*vg.Length(len(h.cells.Rows)) + captionHeight + 2*margin
	return &Figure{width: width, body: body, middle: h.left + heatWidth*vg.Length(len(h.cells.Columns))/2, paint: func(canvas draw.Canvas, header vg.Length) {
		h.paint(canvas, vg.Point{X: canvas.Min.X, Y: canvas.Max.Y - header - margin})
	}}
}
