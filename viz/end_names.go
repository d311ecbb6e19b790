package viz

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Limits of names at the ends of curves.
const (
	endMost  = 4              // names
	endWidth = vg.Length(120) // of the widest, in points
	endGap   = vg.Length(6)   // between the axes and the names
	endLine  = vg.Length(14)  // height of a line
	endShift = vg.Length(11)  // that a name may be away from its curve's end
)

// endNames are names of curves at their ends, right of the axes; nil: there are none.
type endNames []endName

// endName is one name, with the colour of its curve, at the height of the curve's last value.
type endName struct {
	text  string
	style style
	value float64
}

// endNames returns the names of the chart's curves if they fit at their ends: there are few, they
// are short, all curves end at the right, and not too near to each other. Else it returns nil.
func (c chart) endNames(axes *plot.Plot) endNames {
	var ends endNames
	for _, curve := range c.curves {
		if curve.name == "" {
			continue
		}
		last := len(curve.x) - 1
		if c.x.high-curve.x[last] > 0.15*(c.x.high-c.x.low) || textWidth(curve.name, tickSize) > endWidth {
			return nil
		}
		ends = append(ends, endName{curve.name, curve.style, curve.y[last]})
	}
	if len(ends) == 0 || len(ends) > endMost || c.right != nil {
		return nil
	}
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: chartWidth, Y: chartHeight}}}
	inside := axes.DataCanvas(c.place(whole, c.strip.height()+margin+legendLine, nil))
	for i, y := range ends.heights(inside, axes) {
		_, toY := axes.Transforms(&inside)
		if shift := y - toY(ends[i].value); shift > endShift || shift < -endShift {
			return nil
		}
	}
	return ends
}

// heights returns where the names stand: at their curves' ends, moved apart where they would hide
// each other.
func (e endNames) heights(inside draw.Canvas, axes *plot.Plot) []vg.Length {
	_, toY := axes.Transforms(&inside)
	heights, order := make([]vg.Length, len(e)), make([]int, len(e))
	for i, end := range e {
		within := max(axes.Y.Min, min(end.value, axes.Y.Max)) // a range narrowed through Figure.Plots
		heights[i], order[i] = toY(within), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if heights[a] < heights[b] {
			return -1
		}
		return 1
	})
	for range 50 { // each pass moves the neighbours apart that are too near
		for k := 1; k < len(order); k++ {
			low, high := &heights[order[k-1]], &heights[order[k]]
			if lack := endLine - (*high - *low); lack > 0 {
				*low -= lack / 2
				*high += lack / 2
			}
		}
	}
	return heights
}

// others returns the entries of a legend whose names aren't at the ends of curves.
func (e endNames) others(entries []entry) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(entry entry) bool {
		return slices.ContainsFunc(e, func(end endName) bool { return end.text == entry.name })
	})
}

// room returns the width that the names take right of the axes.
func (e endNames) room() vg.Length {
	width := vg.Length(0)
	for _, end := range e {
		width = max(width, textWidth(end.text, tickSize)+endGap)
	}
	return width
}

// paint writes the names in the colours of their curves.
func (e endNames) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	for i, y := range e.heights(inside, axes) {
		write(canvas, e[i].text, tickSize, e[i].style.colour, draw.XLeft, vg.Point{X: inside.Max.X + endGap, Y: y})
	}
}
