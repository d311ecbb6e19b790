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

// Sizes of additions around figures, in points.
const (
	titleHeight vg.Length = 22
	noteHeight  vg.Length = 20 // of a line below a figure
	columnGap   vg.Length = 10 // between figures above each other
	rowGap      vg.Length = 14 // between the figures of a row
)

// Row puts figures side by side with their axes aligned, as the paper's Figure 3 does with entropy
// and negative log-likelihood. It needs at least one figure.
func Row(figures ...*Figure) (*Figure, error) { return arranged("row", figures, sideBySide) }

// Column puts figures one below the other, their left edges aligned. It needs at least one figure.
func Column(figures ...*Figure) (*Figure, error) {
	if len(figures) == 1 && figures[0] != nil {
		return figures[0], nil
	}
	return arranged("column", figures, oneBelowTheOther)
}

// arranged puts figures together, with their legends and without.
func arranged(arrangement string, figures []*Figure, by func([]layout) layout) (*Figure, error) {
	if len(figures) == 0 {
		return nil, fmt.Errorf("viz: a %s of 0 figures: give at least one", arrangement)
	}
	whole, with, bare := &Figure{}, make([]layout, len(figures)), make([]layout, len(figures))
	for i, figure := range figures {
		if figure == nil {
			return nil, fmt.Errorf("viz: figure %d of the %s is nil: check the error of the "+
				"function that made it", i+1, arrangement)
		}
		with[i], bare[i] = figure.layout, figure.bare
		whole.plots, whole.entries = append(whole.plots, figure.plots...),
			append(whole.entries, figure.entries...)
	}
	whole.layout, whole.bare = by(with), by(bare)
	return whole, nil
}

// sideBySide puts layouts from left to right, the last lines of their titles side by side.
func sideBySide(members []layout) layout {
	row := layout{width: rowGap * vg.Length(len(members)-1)}
	for _, member := range members {
		row.width += member.width
		row.titles = max(row.titles, member.titles)
		row.header = max(row.header, member.header-member.titles)
		row.body = max(row.body, member.body)
	}
	row.header += row.titles
	row.paint = func(canvas draw.Canvas, header vg.Length) {
		left := canvas.Min.X
		for _, member := range members {
			place, lower := canvas, row.titles-member.titles
			place.Min = xy(left, canvas.Max.Y-header-member.body)
			place.Max = xy(left+member.width, canvas.Max.Y-lower)
			member.paint(place, header-lower)
			left += member.width + rowGap
		}
	}
	return row
}

// oneBelowTheOther puts layouts from top to bottom.
func oneBelowTheOther(members []layout) layout {
	column := layout{body: columnGap * vg.Length(len(members)-1)}
	for _, member := range members {
		column.width = max(column.width, member.width)
		column.body += member.header + member.body
	}
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
	return column
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

// widened widens the figures of a row to a total width: figures wider than an equal share keep
// their width, and the others share the rest.
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

// SharedGrid puts rows of figures one below the other, with one common legend above them: the
// layout of the paper's Figures 6 and 10. A name must look the same in all figures that have it.
func SharedGrid(rows ...[]*Figure) (*Figure, error) { return shared(columnOf(rows)) }

// shared replaces the legends of an arrangement's members by one; it passes on the error.
func shared(whole *Figure, err error) (*Figure, error) {
	if err != nil {
		return nil, err
	}
	entries, err := sharedEntries(whole.entries)
	if err != nil {
		return nil, err
	}
	l := whole.bare
	if len(entries) > 0 {
		names := newLegend(entries, l.width-2*margin)
		left := max(margin, (l.width-total(names.widths)+entryGap)/2)
		l = l.under(names.height(), func(canvas draw.Canvas) {
			names.paint(canvas, xy(canvas.Min.X+left, canvas.Max.Y-names.height()-margin))
		})
	}
	return newFigure(l, whole.plots...), nil
}

// sharedEntries returns entries, each name once, the marks' last.
func sharedEntries(all []entry) (shared []entry, err error) {
	for _, e := range all {
		at := slices.IndexFunc(shared, func(other entry) bool { return other.name == e.name })
		switch {
		case at < 0:
			shared = append(shared, e)
		case e.note != shared[at].note:
			return nil, fmt.Errorf("viz: %q has two notes in figures with one legend, %q and %q: "+
				"use Row, where each figure keeps its own legend",
				e.name, strings.TrimPrefix(shared[at].note, ", "), strings.TrimPrefix(e.note, ", "))
		case !reflect.DeepEqual(e.style, shared[at].style):
			return nil, fmt.Errorf("viz: %q has two looks in figures with one legend: give all "+
				"figures the same names in one order", e.name)
		}
	}
	slices.SortStableFunc(shared, func(a, b entry) int { return a.rank - b.rank })
	return shared, nil
}
