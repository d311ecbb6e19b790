package viz

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a legend, in points.
const (
	sampleWidth  vg.Length = 24 // of the piece of line in front of a name
	dotWidth     vg.Length = 9  // of a marker without a line in front of a name
	sampleGap    vg.Length = 5  // between the two
	entryGap     vg.Length = 14 // between a name and the next entry
	legendLine   vg.Length = 18 // height of a line of entries
	legendBottom vg.Length = 7  // between the last line and the axes
)

// legendLeast is the smallest size of names that are too long for a legend, in points.
const legendLeast vg.Length = 9

// entry is one name of a legend with the style of its curve.
type entry struct {
	name  string
	style style
	note  string    // after the name, kept when that is shortened
	rank  int       // 1 if it explains a mark of all series, and so follows their names
	size  vg.Length // of the text; newLegend chooses it
}

func (e entry) width() vg.Length {
	return e.sample() + sampleGap + textWidth(e.name+e.note, e.size)
}

// sample returns the width of the mark before the name.
func (e entry) sample() vg.Length {
	if e.style.width == 0 {
		return dotWidth
	}
	return sampleWidth
}

// legend names the curves of a chart in lines above its axes, where no curve can be in its way.
type legend struct {
	lines  [][]entry
	widths []vg.Length // of the columns, each with the gap to the next
}

// newLegend sets the entries in as many columns as the given width holds.
func newLegend(entries []entry, width vg.Length) legend {
	entries = slices.Clone(entries)
	size := tickSize
	for _, e := range entries {
		size = min(size, fitted(e.name+e.note, tickSize, width-e.sample()-sampleGap))
	}
	for i := range entries { // a name that is wider even so is shortened
		e := &entries[i]
		e.size = max(size, legendLeast)
		e.name = shorten(e.name, e.size, width-e.sample()-sampleGap-textWidth(e.note, e.size))
	}
	columns := len(entries)
	for columns > 1 && total(columnWidths(entries, columns))-entryGap > width {
		columns--
	}
	return legend{lines: slices.Collect(slices.Chunk(entries, columns)),
		widths: columnWidths(entries, columns)}
}

// columnWidths returns the widths of the columns, which are filled line by line.
func columnWidths(entries []entry, columns int) []vg.Length {
	widths := make([]vg.Length, columns)
	for i, e := range entries {
		widths[i%columns] = max(widths[i%columns], e.width()+entryGap)
	}
	return widths
}

func total(lengths []vg.Length) vg.Length {
	var sum vg.Length
	for _, length := range lengths {
		sum += length
	}
	return sum
}

func (l legend) height() vg.Length { return legendLine*vg.Length(len(l.lines)) + legendBottom }

// paint draws the legend with its lower left corner at the given point.
func (l legend) paint(canvas draw.Canvas, corner vg.Point) {
	for i, line := range l.lines {
		at := xy(corner.X, corner.Y+legendBottom+legendLine*(vg.Length(len(l.lines)-i)-0.5))
		for column, e := range line {
			e.paint(canvas, at)
			at.X += l.widths[column]
		}
	}
}

// paint draws one entry with its left end at the given point and its name centred on it vertically.
func (e entry) paint(canvas draw.Canvas, at vg.Point) {
	right := at.X + e.sample()
	if e.style.width > 0 {
		canvas.StrokeLine2(e.style.line(), at.X, at.Y, right, at.Y)
	}
	drawMarker(&canvas, e.style, xy((at.X+right)/2, at.Y))
	write(canvas, e.name+e.note, e.size, ink, draw.XLeft, xy(right+sampleGap, at.Y))
}

// Limits of names at the ends of curves.
const (
	endMost            = 8   // names
	endWidth vg.Length = 120 // of the widest, in points
	endGap   vg.Length = 12  // between the axes and the names
	endLine  vg.Length = 14  // height of a line
	// that they or a second axis widen a chart: a phone shows its type at 14 pixels. What they need
	// beyond this the axes give
	sideMost vg.Length = 40
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
// are short and all curves end at the right. Else it returns nil.
func (c chart) endNames() (ends endNames) {
	for _, curve := range c.curves {
		if curve.name == "" {
			continue
		}
		last := len(curve.x) - 1
		if c.x.high-curve.x[last] > 0.15*(c.x.high-c.x.low) ||
			textWidth(curve.name, tickSize) > endWidth {
			return nil
		}
		ends = append(ends, endName{curve.name, curve.style, curve.y[last]})
	}
	if len(ends) > endMost || c.right > 0 {
		return nil
	}
	return ends
}

// heights returns the heights of the curves' ends, and of their names: there, moved apart if they
// would hide each other.
func (e endNames) heights(inside draw.Canvas, axes *plot.Plot) (at, names []vg.Length) {
	_, toY := axes.Transforms(&inside)
	order := make([]int, len(e))
	for i, end := range e {
		// a range narrowed through Figure.Plots
		within := max(axes.Y.Min, min(end.value, axes.Y.Max))
		at, order[i] = append(at, toY(within)), i
	}
	names = slices.Clone(at)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	for range 50 { // each pass moves the neighbours apart that are too near
		for k, i := range order {
			low := inside.Min.Y + endLine*vg.Length(k)
			high := inside.Max.Y - endLine*vg.Length(len(order)-1-k)
			names[i] = max(low, min(names[i], high))
			if k == 0 {
				continue
			}
			below := &names[order[k-1]]
			if lack := endLine - (names[i] - *below); lack > 0 {
				*below -= lack / 2
				names[i] += lack / 2
			}
		}
	}
	return at, names
}

// room returns the width that the names take right of the axes.
func (e endNames) room() vg.Length {
	width := vg.Length(0)
	for _, end := range e {
		width = max(width, textWidth(end.text, tickSize)+endGap)
	}
	return width
}

// paint writes the names in the colours of their curves, those that were moved with a line to their
// curve's end.
func (e endNames) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	at, names := e.heights(inside, axes)
	for i, y := range names {
		look, right := e[i].style, inside.Max.X
		if max(y-at[i], at[i]-y) > endLine/4 {
			canvas.StrokeLine2(pen(look.colour, seedWidth), right, at[i], right+endGap-3, y)
		}
		write(canvas, e[i].text, tickSize, look.colour, draw.XLeft, xy(right+endGap, y))
	}
}
