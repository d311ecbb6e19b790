package viz

import (
	"errors"
	"fmt"
	"math"
)

// CellMap is a metric of one method in a table of cells, such as the corruptions by their
// severities.
type CellMap struct {
	Name          string      // of the method
	Metric        string      // one of those of LevelCurves
	Rows, Columns []string    // captions, drawn with spaces for underscores
	Corner        string      // what the columns are, such as "severity"; "" draws none
	Mean          [][]float64 // [row][column], mean over seeds; NaN makes a cell without a value, which is grey
	Std           [][]float64 // [row][column], standard deviation over seeds; nil means not known
	Seeds         int         // number of runs behind Mean and Std; 0 means not known
	Test          string      // what was measured, for the caption; "" leaves it out
}

// check returns an error that names the first thing that doesn't fit the map.
func (m CellMap) check() error {
	if len(m.Rows) == 0 || len(m.Columns) == 0 {
		return errors.New("viz: a map without cells: give at least one row and one column")
	}
	quantity, err := metricByName(m.Metric)
	if err != nil {
		return err
	}
	if err := m.checkShape("means", m.Mean); err != nil {
		return err
	}
	for i, row := range m.Mean {
		if err := checkValues(quantity, fmt.Sprintf("row %d of map %q", i, m.Name), row); err != nil {
			return err
		}
	}
	if values := m.span(); values.low > values.high {
		return fmt.Errorf("viz: map %q has no value: give at least one that is a number", m.Name)
	}
	return m.checkSeeds()
}

// checkSeeds returns an error unless the standard deviations fit the means and the number of seeds.
func (m CellMap) checkSeeds() error {
	switch {
	case m.Seeds < 0:
		return fmt.Errorf("viz: map %q has %d seeds: give the number of runs behind it, or 0", m.Name, m.Seeds)
	case m.Std == nil:
		return nil
	}
	if err := m.checkShape("standard deviations", m.Std); err != nil {
		return err
	}
	if m.Seeds == 0 {
		return fmt.Errorf("viz: map %q has standard deviations over 0 seeds: say over how many, in Seeds", m.Name)
	}
	for i, row := range m.Std {
		for j, deviation := range row {
			if known := m.Seeds > 1 && !math.IsNaN(m.Mean[i][j]); known && !(deviation >= 0) {
				return fmt.Errorf("viz: map %q has the standard deviation %g in row %d, column %d: leave the run out, or repair it", m.Name, deviation, i, j)
			}
		}
	}
	return nil
}

// checkShape returns an error unless there is a value for each row and column, and none is
// infinite.
func (m CellMap) checkShape(what string, values [][]float64) error {
	if len(values) != len(m.Rows) {
		return fmt.Errorf("viz: map %q has %d rows and %d rows of %s: give as many of both", m.Name, len(m.Rows), len(values), what)
	}
	for i, row := range values {
		if len(row) != len(m.Columns) {
			return fmt.Errorf("viz: map %q has %d columns and %d %s in row %d: give as many of both", m.Name, len(m.Columns), len(row), what, i)
		}
		for j, value := range row {
			if math.IsInf(value, 0) {
				return fmt.Errorf("viz: map %q has the value %g in row %d, column %d: leave the run out, or repair it", m.Name, value, i, j)
			}
		}
	}
	return nil
}

// span returns the range of the means.
func (m CellMap) span() span {
	values := nothing()
	for _, row := range m.Mean {
		for _, value := range row {
			if !math.IsNaN(value) {
				values = values.include(value)
			}
		}
	}
	return values
}

// minus returns the map of the differences from another one of the same cells.
func (m CellMap) minus(other CellMap) (CellMap, error) {
	if m.Metric != other.Metric || len(m.Rows) != len(other.Rows) || len(m.Columns) != len(other.Columns) {
		return CellMap{}, fmt.Errorf("viz: maps %q of %d x %d %s and %q of %d x %d %s have no difference: give the same cells of one metric",
			m.Name, len(m.Rows), len(m.Columns), m.Metric, other.Name, len(other.Rows), len(other.Columns), other.Metric)
	}
	for j, column := range m.Columns {
		if column != other.Columns[j] {
			return CellMap{}, fmt.Errorf("viz: column %d of the maps is %q and %q: give the same columns in one order", j, column, other.Columns[j])
		}
	}
	result := m
	result.Name, result.Std, result.Mean = m.Name+" minus "+other.Name, nil, nil
	if result.Test = joinTests(m.Test, other.Test); m.Seeds != other.Seeds {
		result.Seeds = 0 // no one number is true of both
	}
	for i, row := range m.Mean {
		if m.Rows[i] != other.Rows[i] {
			return CellMap{}, fmt.Errorf("viz: row %d of the maps is %q and %q: give the same rows in one order", i, m.Rows[i], other.Rows[i])
		}
		var differences []float64
		for j, value := range row {
			differences = append(differences, value-other.Mean[i][j])
		}
		result.Mean = append(result.Mean, differences)
	}
	return result, nil
}

// CellTable returns maps of the same cells as one table: a row for each row of the maps and method,
// "mean ± standard deviation" over the seeds, with the best mean of each cell in bold (Best).
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
	quantity, _ := metricByName(first.Metric)
	table := Table{Header: append([]string{quantity.Label(), first.Corner}, captions(first.Columns)...), Labels: 2}
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

// tableCaption says what was measured and over how many seeds.
func tableCaption(methods []Series) string {
	seeds, single := seedRange(methods)
	switch {
	case seeds != "":
		return joined(testOf(methods), "mean ± standard deviation over "+seeds)
	case single:
		return joined(testOf(methods), "one seed")
	}
	return testOf(methods)
}
