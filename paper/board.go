package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

// shareRange gives panels the least vertical range that holds all of theirs.
func shareRange(panels ...*viz.Figure) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, panel := range panels {
		axis := panel.Plots()[0].Y
		low, high = min(low, axis.Min), max(high, axis.Max)
	}
	for _, panel := range panels {
		axis := &panel.Plots()[0].Y
		axis.Min, axis.Max = low, high
	}
}

// differenceFigure draws the differences of a metric between methods at each corruption level, seed
// by seed, of the pairs that have the same seeds. It is nil if none has.
func differenceFigure(r *Result, name string, pairs ...comparison) (*viz.Figure, error) {
	metric, of := metricOf(name), pairs[0].first+" "
	if slices.ContainsFunc(pairs, func(pair comparison) bool {
		return pair.first != pairs[0].first
	}) {
		of = ""
	}
	p := viz.LevelDifferencePlot{
		Quantity: fmt.Sprintf("difference in %s (%s)", metric.Title, unitOf(metric)),
		Above:    of + "worse", Below: of + "better",
	}
	for _, pair := range pairs {
		if runs := r.of(pair.first); len(runs) > 0 && paired(runs, r.of(pair.second), false) {
			p.Series = append(p.Series, levelDifference(r, name, pair))
		}
	}
	if len(p.Series) == 0 {
		return nil, nil
	}
	return viz.LevelDifferences(p)
}

// levelDifference returns the differences between two methods at the levels. The second is named
// without their common words: "M32 − fixed σ" compares M32 with "M32 fixed σ".
func levelDifference(r *Result, metric string, pair comparison) viz.LevelDifference {
	family, _, _ := strings.Cut(pair.first, ", ")
	other := strings.TrimPrefix(strings.TrimPrefix(pair.second, pair.first+" "), family+", ")
	series := viz.LevelDifference{Name: pair.first + " − " + other}
	for _, e := range lower(metric, atLevels, pair.first, pair.second)(r) {
		series.Levels = append(series.Levels, e.drawn())
	}
	return series
}
