package viz

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is a finished picture: it can be saved, shown in a notebook, or put into a row with
// others.
type Figure struct {
	width  vg.Length
	body   vg.Length // height below the header
	header vg.Length // height above the axes, for titles and the legend; figures in a row share the largest
	titles vg.Length // of it for titles

	// paint draws the figure on a canvas of its width and of its body's height plus the given
	// header.
	paint func(canvas draw.Canvas, header vg.Length)

	middle  vg.Length    // of the axes, from the left edge; 0: that of the figure
	plots   []*plot.Plot // the axes, from left to right and from top to bottom
	entries []entry      // of the legend
	bare    *Figure      // the figure without its legend; nil: it has none
}

// Size returns the width and height of the figure in points (1/72 inch).
func (f *Figure) Size() (width, height float64) {
	return f.width.Points(), (f.header + f.body).Points()
}

// Plots returns the axes of the figure, in the order in which they were put together, to change or
// to add to before the figure is saved or shown: a line, a label, another range. Coordinates are
// those of the axis, so an error of 0.3 is at 30 if the axis is in percent. When a range changes,
// the axes compute their ticks again and curves end at the axes. Images and maps have hidden axes
// over their cells: the cell in row r and column c, from 0 and from the top, of R rows has the
// coordinates c to c+1 and R-r-1 to R-r.
func (f *Figure) Plots() []*plot.Plot { return f.plots }

// Marked returns the figure with a dashed vertical line at a place of the horizontal axis, in all
// of its plots: the chosen level among the curves of LevelCurves, for instance.
func (f *Figure) Marked(x float64) *Figure {
	for _, axes := range f.plots {
		axes.Add(verticalMark{x, true})
	}
	return f
}

// verticalMark is a dashed line across the height of the axes, which may have a triangle as its foot.
type verticalMark struct {
	x       float64
	hasFoot bool
}

// Plot draws the line unless its place is outside of the axes.
func (m verticalMark) Plot(canvas draw.Canvas, axes *plot.Plot) {
	if m.x < axes.X.Min || m.x > axes.X.Max {
		return
	}
	toX, _ := axes.Transforms(&canvas)
	x := toX(m.x)
	canvas.StrokeLine2(draw.LineStyle{Color: softInk, Width: axisWidth, Dashes: paperDashes}, x, canvas.Min.Y, x, canvas.Max.Y)
	if foot := (vg.Point{X: x, Y: canvas.Min.Y}); m.hasFoot {
		canvas.FillPolygon(ink, []vg.Point{foot.Add(vg.Point{Y: 7}), foot.Add(vg.Point{X: -5}), foot.Add(vg.Point{X: 5})})
	}
}

// overlay returns axes without lines over rows and columns of cells.
func overlay(rows, columns int) *plot.Plot {
	axes := newAxes()
	axes.HideAxes()
	axes.X.Min, axes.X.Max, axes.Y.Min, axes.Y.Max = 0, float64(columns), 0, float64(rows)
	axes.X.Padding, axes.Y.Padding = 0, 0
	return axes
}

// paintOverlay draws what was added to axes over the cells.
func paintOverlay(canvas draw.Canvas, axes *plot.Plot, cells vg.Rectangle) {
	axes.Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: cells})
}

// rowGap is the space between the figures of a row, in points.
const rowGap = vg.Length(14)

// Row puts figures side by side with their axes aligned, as the paper's Figure 3 does with entropy
// and negative log-likelihood. It needs at least one figure.
func Row(figures ...*Figure) (*Figure, error) {
	if err := checkFigures("row", figures); err != nil {
		return nil, err
	}
	return arranged(figures, sideBySide), nil
}

// arranged puts figures together, with their legends and without.
func arranged(figures []*Figure, by func([]*Figure) *Figure) *Figure {
	members, bare, legends := slices.Clone(figures), make([]*Figure, len(figures)), false
	whole := by(members)
	for i, member := range members {
		whole.entries = append(whole.entries, member.entries...)
		legends, bare[i] = legends || member.bare != nil, member.withoutLegend()
	}
	if legends {
		whole.bare = by(bare)
	}
	return whole
}

func sideBySide(members []*Figure) *Figure {
	row := &Figure{width: rowGap * vg.Length(len(members)-1)}
	for _, member := range members {
		row.width += member.width
		row.titles = max(row.titles, member.titles)
		row.header = max(row.header, member.header-member.titles)
		row.body = max(row.body, member.body)
		row.plots = append(row.plots, member.plots...)
	}
	row.header += row.titles
	row.paint = func(canvas draw.Canvas, header vg.Length) { paintRow(canvas, header, row.titles, members) }
	return row
}

// checkFigures returns an error unless there are figures to arrange.
func checkFigures(arrangement string, figures []*Figure) error {
	if len(figures) == 0 {
		return fmt.Errorf("viz: a %s of 0 figures: give at least one", arrangement)
	}
	for i, figure := range figures {
		if figure == nil {
			return fmt.Errorf("viz: figure %d of the %s is nil: check the error of the function that made it", i+1, arrangement)
		}
	}
	return nil
}

// paintRow draws the members of a row from left to right, the last lines of their titles side by
// side.
func paintRow(canvas draw.Canvas, header, titles vg.Length, members []*Figure) {
	left := canvas.Min.X
	for _, member := range members {
		place := canvas
		place.Min = vg.Point{X: left, Y: canvas.Max.Y - header - member.body}
		lower := titles - member.titles
		place.Max = vg.Point{X: left + member.width, Y: canvas.Max.Y - lower}
		member.paint(place, header-lower)
		left += member.width + rowGap
	}
}
