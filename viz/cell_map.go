package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// CellMap is a metric of one method in a table of cells, for example the corruptions by their
// severities.
type CellMap struct {
	Name          string   // of the method
	Metric        string   // as in LevelCurves
	Rows, Columns []string // captions, drawn with spaces for underscores
	Corner        string   // heading of the columns, for example "severity"; "" draws none
	// [row][column], mean over seeds; NaN makes a cell without a value, which is grey
	Mean  [][]float64
	Std   [][]float64 // [row][column], standard deviation over seeds; nil means not known
	Seeds int         // number of runs behind Mean and Std; 0 means not known
	Test  string      // the test, for the caption; "" leaves it out
}

// check returns an error that names the first thing that doesn't fit the map.
func (m CellMap) check() error {
	owner := fmt.Sprintf("map %q", m.Name)
	quantity, err := score.MetricByName(m.Metric)
	switch {
	case len(m.Rows) == 0 || len(m.Columns) == 0:
		return errors.New("viz: a map without cells: give at least one row and one column")
	case err != nil:
		return err
	case m.Seeds < 0:
		return fmt.Errorf("viz: %s has %d seeds: give the number of runs behind it, or 0", owner,
			m.Seeds)
	case m.Std != nil && m.Seeds == 0:
		return fmt.Errorf("viz: %s has standard deviations over 0 seeds: give their number in "+
			"Seeds", owner)
	}
	if err := cmp.Or(m.checkShape(owner, "means", m.Mean),
		m.checkShape(owner, "standard deviations", m.Std)); err != nil {
		return err
	}
	if values := m.span(); values.low > values.high {
		return fmt.Errorf("viz: %s has no value: give at least one that is a number", owner)
	}
	for i := range m.Mean {
		of := fmt.Sprintf("row %d of %s", i, owner)
		err = cmp.Or(err, checkValues(quantity, of, m.known(m.Mean, i)))
		if m.Std != nil && m.Seeds > 1 {
			err = cmp.Or(err, within(of, "standard deviation", m.known(m.Std, i), zeroOrUp))
		}
	}
	return err
}

// known returns a row of values, with 0 in cells without a mean.
func (m CellMap) known(values [][]float64, row int) []float64 {
	known := slices.Clone(values[row])
	for j, mean := range m.Mean[row] {
		if math.IsNaN(mean) {
			known[j] = 0
		}
	}
	return known
}

// checkShape returns an error unless there is a value for each row and column, or none at all.
func (m CellMap) checkShape(owner, what string, values [][]float64) error {
	err := optional(owner, "rows", len(m.Rows), "rows of "+what, values)
	for i, row := range values {
		err = cmp.Or(err, paired(owner, "columns", len(m.Columns), fmt.Sprintf("%s in row %d", what,
			i), len(row)))
	}
	return err
}

// span returns the range of the means.
func (m CellMap) span() span {
	known := slices.DeleteFunc(slices.Concat(m.Mean...), math.IsNaN)
	return nothing().include(known...)
}

// minus returns the map of the differences from another one of the same cells.
func (m CellMap) minus(other CellMap) (CellMap, error) {
	if m.Metric != other.Metric || !slices.Equal(m.Rows, other.Rows) ||
		!slices.Equal(m.Columns, other.Columns) {
		return CellMap{}, fmt.Errorf("viz: map %q is of %s, rows %q, columns %q, and %q of %s, "+
			"rows %q, columns %q: give the same cells of one metric",
			m.Name, m.Metric, m.Rows, m.Columns, other.Name, other.Metric, other.Rows,
			other.Columns)
	}
	result := m
	result.Name, result.Std, result.Mean = m.Name+" minus "+other.Name, nil, nil
	if result.Test = testOf([]Series{{Test: m.Test}, {Test: other.Test}}); m.Seeds != other.Seeds {
		result.Seeds = 0 // no one number is true of both
	}
	for i, row := range m.Mean {
		result.Mean = append(result.Mean, floats.SubTo(make([]float64, len(row)), row,
			other.Mean[i]))
	}
	return result, nil
}

// CellTable returns maps of the same cells as one table: a row for each row of the maps and method,
// "mean ± standard deviation" over the seeds.
func CellTable(maps ...CellMap) (Table, error) {
	if len(maps) == 0 {
		return Table{}, errors.New("viz: a table of 0 maps: give at least one")
	}
	first := maps[0]
	for _, cells := range maps {
		if err := cells.check(); err != nil {
			return Table{}, err
		}
		if _, err := cells.minus(first); err != nil {
			return Table{}, err
		}
	}
	quantity, _ := score.MetricByName(first.Metric)
	table := Table{Header: append([]string{quantity.Label(), first.Corner},
		captions(first.Columns)...), Labels: 2}
	for row, caption := range captions(first.Rows) {
		methods := make([]Series, len(maps))
		for i, cells := range maps {
			methods[i] = cells.series(row)
		}
		table.addBlock(quantity, caption, methods)
		table.Caption = tableCaption(methods)
	}
	return table, nil
}

func (m CellMap) series(row int) Series {
	s := Series{Name: m.Name, Mean: m.Mean[row], Seeds: m.Seeds, Test: m.Test}
	if m.Std != nil && m.Seeds > 1 {
		s.Std = m.Std[row]
	}
	return s
}

// tableCaption describes the test and the number of seeds.
func tableCaption(methods []Series) string {
	seeds, _, _, single := seedRange(methods)
	if seeds != "" {
		seeds = "mean ± standard deviation over " + seeds
	} else if single {
		seeds = "one seed"
	}
	return joined(testOf(methods), seeds)
}
