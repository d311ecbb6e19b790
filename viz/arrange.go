package viz

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of what is added around figures, in points.
const (
	titleHeight = vg.Length(22)
	columnGap   = vg.Length(10) // between figures that stand one above the other
)

// under returns the figure below something of a height, which paint draws at the top of the canvas.
func (f *Figure) under(height vg.Length, paint func(draw.Canvas)) *Figure {
	whole := *f
	whole.header += height
	whole.paint = func(canvas draw.Canvas, header vg.Length) {
		below := canvas
		below.Max.Y -= height
		f.paint(below, header-height)
		paint(canvas)
	}
	if f.bare != nil {
		whole.bare = f.bare.under(height, paint)
	}
	return &whole
}

// Titled returns the figure with a title above it, such as "test" for one panel of several.
func (f *Figure) Titled(title string) *Figure {
	titled := f.under(titleHeight, func(canvas draw.Canvas) {
		at := vg.Point{X: canvas.Min.X + f.centre(), Y: canvas.Max.Y - titleHeight/2}
		room := 2 * (min(f.centre(), f.width-f.centre()) - margin)
		write(canvas, title, fitted(title, labelSize, room), ink, draw.XCenter, at)
	})
	titled.titles += titleHeight
	if titled.bare != nil {
		titled.bare.titles += titleHeight
	}
	return titled
}

// centre is where the figure's title is centred, from its left edge.
func (f *Figure) centre() vg.Length {
	if f.middle == 0 {
		return f.width / 2
	}
	return f.middle
}

// centred returns the figure in the middle of a larger width.
func (f *Figure) centred(width vg.Length) *Figure {
	if width <= f.width {
		return f
	}
	whole, left := *f, (width-f.width)/2
	whole.width, whole.middle = width, width/2
	whole.paint = func(canvas draw.Canvas, header vg.Length) {
		canvas.Min.X += left
		canvas.Max.X = canvas.Min.X + f.width
		f.paint(canvas, header)
	}
	return &whole
}

// Column puts figures one below the other, their left edges aligned. It needs at least one figure.
func Column(figures ...*Figure) (*Figure, error) {
	if err := checkFigures("column", figures); err != nil {
		return nil, err
	}
	column := &Figure{body: columnGap * vg.Length(len(figures)-1)}
	for _, figure := range figures {
		column.width = max(column.width, figure.width)
		column.body += figure.header + figure.body
		column.plots = append(column.plots, figure.plots...)
	}
	members := append([]*Figure(nil), figures...)
	column.paint = func(canvas draw.Canvas, header vg.Length) {
		canvas.Max.Y -= header
		for _, member := range members {
			canvas.Min.Y = canvas.Max.Y - member.header - member.body
			place := canvas
			place.Max.X = place.Min.X + member.width
			member.paint(place, member.header)
			canvas.Max.Y = canvas.Min.Y - columnGap
		}
	}
	return column, nil
}

// Grid puts rows of figures one below the other, those of a column with the same width. Each figure
// keeps its legend.
func Grid(rows ...[]*Figure) (*Figure, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("viz: a grid of 0 rows: give at least one")
	}
	var widths []vg.Length // of the columns
	for _, row := range rows {
		if err := checkFigures("row", row); err != nil {
			return nil, err
		}
		for column, figure := range row {
			if column == len(widths) {
				widths = append(widths, 0)
			}
			widths[column] = max(widths[column], figure.width)
		}
	}
	aligned := make([][]*Figure, len(rows))
	for i, row := range rows {
		for column, figure := range row {
			member := *figure
			member.width = widths[column]
			aligned[i] = append(aligned[i], &member)
		}
	}
	return columnOf(aligned)
}

// columnOf puts rows of figures one below the other.
func columnOf(rows [][]*Figure) (*Figure, error) {
	lines := make([]*Figure, len(rows))
	for i, row := range rows {
		var err error
		if lines[i], err = Row(row...); err != nil {
			return nil, err
		}
	}
	return Column(lines...)
}

// Stretched puts rows of figures one below the other, all as wide as the widest row. The figures of
// a row have one width, if none of them needs more. Each figure keeps its legend.
func Stretched(rows ...[]*Figure) (*Figure, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("viz: 0 rows to stretch: give at least one")
	}
	var width vg.Length
	for _, figures := range rows {
		row, err := Row(figures...)
		if err != nil {
			return nil, err
		}
		width = max(width, row.width)
	}
	stretched := make([][]*Figure, len(rows))
	for i, figures := range rows {
		stretched[i] = widened(figures, width)
	}
	return columnOf(stretched)
}

// widened returns the figures of a row so that the row has a width: those that are wider than an
// equal share keep their width, and the others share the rest.
func widened(figures []*Figure, width vg.Length) []*Figure {
	rest, sharing := width-rowGap*vg.Length(len(figures)-1), len(figures)
	byWidth := slices.Clone(figures)
	slices.SortStableFunc(byWidth, func(a, b *Figure) int { return cmp.Compare(b.width, a.width) })
	for _, figure := range byWidth {
		if figure.width*vg.Length(sharing) <= rest {
			break
		}
		rest, sharing = rest-figure.width, sharing-1
	}
	result := make([]*Figure, len(figures))
	for i, figure := range figures {
		member := *figure
		if sharing > 0 {
			member.width = max(figure.width, rest/vg.Length(sharing))
		}
		result[i] = &member
	}
	return result
}

// SharedRow puts figures side by side as Row does, with one legend above all of them in place of a
// legend each: the layout of the paper's Figures 6 and 10. A name must look the same in all figures
// that have it.
func SharedRow(figures ...*Figure) (*Figure, error) { return SharedGrid(figures) }

// SharedGrid puts rows of figures one below the other, with one legend above all of them in place
// of a legend each. A name must look the same in all figures that have it.
func SharedGrid(rows ...[]*Figure) (*Figure, error) {
	return sharedGrid(make([]string, len(rows)), rows)
}

// sharedGrid is SharedGrid with a title above each row, "" for none.
func sharedGrid(titles []string, rows [][]*Figure) (*Figure, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("viz: a grid of 0 rows: give at least one")
	}
	for _, row := range rows {
		if err := checkFigures("row", row); err != nil {
			return nil, err
		}
	}
	entries, err := sharedEntries(slices.Concat(rows...))
	if err != nil {
		return nil, err
	}
	lines := make([]*Figure, len(rows))
	for i, row := range rows {
		members := make([]*Figure, len(row))
		for k, figure := range row {
			members[k] = figure.withoutLegend()
		}
		if lines[i], err = Row(members...); err != nil {
			return nil, err
		}
		if titles[i] != "" {
			lines[i] = lines[i].Titled(titles[i])
		}
	}
	grid := lines[0]
	if len(lines) > 1 {
		var err error
		if grid, err = Column(lines...); err != nil {
			return nil, err
		}
	}
	if len(entries) == 0 {
		return grid, nil
	}
	return grid.underLegend(newLegend(entries, grid.width-2*margin)), nil
}

// sharedEntries returns the entries of all figures, each name once.
func sharedEntries(figures []*Figure) ([]entry, error) {
	var shared []entry
	seen, notes := map[string]style{}, map[string]string{}
	for i, figure := range figures {
		for _, e := range figure.entries {
			look, found := seen[e.name]
			switch {
			case !found:
				seen[e.name], notes[e.name] = e.style, e.note
				shared = append(shared, e)
			case e.note != notes[e.name]:
				return nil, fmt.Errorf("viz: %q has another note in figure %d of the row (%q and %q): use Row, where each figure keeps its own legend",
					e.name, i+1, strings.TrimPrefix(notes[e.name], ", "), strings.TrimPrefix(e.note, ", "))
			case !reflect.DeepEqual(look, e.style):
				return nil, fmt.Errorf("viz: %q looks otherwise in figure %d of the row: give all figures the same names in one order", e.name, i+1)
			}
		}
	}
	return shared, nil
}

func (f *Figure) withoutLegend() *Figure {
	if f.bare == nil {
		return f
	}
	return f.bare
}

func (f *Figure) underLegend(names legend) *Figure {
	return f.under(names.height(), func(canvas draw.Canvas) {
		left := max(margin, (f.width-total(names.widths)+entryGap)/2)
		names.paint(canvas, vg.Point{X: canvas.Min.X + left, Y: canvas.Max.Y - names.height() - margin})
	})
}
