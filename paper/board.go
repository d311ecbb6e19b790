package paper

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/viz"
)

// board collects panels in rows, and the first error of making one.
type board struct {
	rows [][]*viz.Figure
	err  error
}

func (b *board) row() { b.rows = append(b.rows, nil) }

// add puts a panel at the end of the last row; nil adds none.
func (b *board) add(panel *viz.Figure, err error) {
	if b.err == nil {
		b.err = err
	}
	if panel != nil && b.err == nil {
		last := len(b.rows) - 1
		b.rows[last] = append(b.rows[last], panel)
	}
}

func (b *board) title(text string) {
	if row := b.rows[len(b.rows)-1]; b.err == nil {
		row[len(row)-1] = row[len(row)-1].Titled(text)
	}
}

// arranged puts the rows that have panels together.
func (b *board) arranged(by func(...[]*viz.Figure) (*viz.Figure, error)) (*viz.Figure, error) {
	if b.err != nil {
		return nil, b.err
	}
	return by(slices.DeleteFunc(b.rows, func(row []*viz.Figure) bool { return len(row) == 0 })...)
}

// sideBySide arranges a board of one row.
func sideBySide(rows ...[]*viz.Figure) (*viz.Figure, error) { return viz.Row(rows[0]...) }

// shareRange gives panels the least vertical range that holds those of all.
func shareRange(panels ...*viz.Figure) {
	var plots []*plot.Plot
	for _, panel := range panels {
		plots = append(plots, panel.Plots()[0])
	}
	sharePlotRange(plots)
}

// sharePlotRange gives plots the least vertical range that holds those of all.
func sharePlotRange(plots []*plot.Plot) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range plots {
		low, high = min(low, p.Y.Min), max(high, p.Y.Max)
	}
	for _, p := range plots {
		p.Y.Min, p.Y.Max = low, high
	}
}
