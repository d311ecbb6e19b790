package viz

import (
	"errors"
	"fmt"
)

// CellTable returns maps of the same cells as one table: a row for each row of the maps and method,
// "mean ± standard deviation" over the seeds, with the best mean of each cell in bold where there
// are several methods.
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
		table.Caption = tableCaption(testOf(methods), methods)
	}
	return table, nil
}

// series returns one row of a map.
func (m CellMap) series(row int) Series {
	s := Series{Name: m.Name, Mean: m.Mean[row], Seeds: m.Seeds, Test: m.Test}
	if m.Std != nil && m.Seeds > 1 {
		s.Std = m.Std[row]
	}
	return s
}

// tableCaption says what was measured and over how many seeds.
func tableCaption(test string, methods []Series) string {
	seeds, single := seedRange(methods)
	over := ""
	switch {
	case seeds != "":
		over = "mean ± standard deviation over " + seeds
	case single:
		over = "one seed"
	}
	switch {
	case test == "":
		return over
	case over == "":
		return test
	}
	return fmt.Sprintf("%s; %s", test, over)
}
