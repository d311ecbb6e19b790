package viz

import (
	"errors"
	"fmt"
	"math"
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
	table := Table{Header: append([]string{quantity.label, first.Corner}, captions(first.Columns)...), Labels: 2}
	methods := cellSeries(maps)
	table.Caption = tableCaption(testOf(methods), methods)
	for row := range first.Rows {
		addCells(&table, quantity, maps, row)
	}
	return table, nil
}

// addCells adds one row of all maps to a table.
func addCells(t *Table, quantity metric, maps []CellMap, row int) {
	block := make([][]float64, len(maps))
	for i, cells := range maps {
		block[i] = quantity.inUnits(cells.Mean[row])
		line := []string{captions(cells.Rows)[row], cells.Name}
		for column := range block[i] {
			line = append(line, cells.text(quantity, row, column))
		}
		t.Rows = append(t.Rows, line)
	}
	for _, strong := range quantity.bestOf(block) {
		t.Strong = append(t.Strong, append(make([]bool, 2), strong...))
	}
}

// text writes one cell; one without a value is a dash.
func (m CellMap) text(quantity metric, row, column int) string {
	mean := quantity.inUnits(m.Mean[row])[column]
	if math.IsNaN(mean) {
		return "-"
	}
	deviation, seeds := 0.0, 1
	if m.Std != nil {
		deviation, seeds = quantity.inUnits(m.Std[row])[column], m.Seeds
	}
	return MeanStd(mean, deviation, seeds, quantity.tableDecimals())
}

// cellSeries returns the properties of maps that a caption describes.
func cellSeries(maps []CellMap) []series {
	var all []series
	for _, cells := range maps {
		s := series{name: cells.Name, seeds: cells.Seeds, test: cells.Test}
		if cells.Std != nil && cells.Seeds > 1 {
			s.deviation = cells.Std[0]
		}
		all = append(all, s)
	}
	return all
}

// bestOf says which values of several rows are the best of their column; of a single row, or of a
// metric without a best value, none is.
func (m metric) bestOf(rows [][]float64) [][]bool {
	strong := make([][]bool, len(rows))
	for i, row := range rows {
		strong[i] = make([]bool, len(row))
	}
	if len(rows) < 2 || m.noBest {
		return strong
	}
	for column := range rows[0] {
		means := make([]float64, len(rows))
		for i, row := range rows {
			means[i] = row[column]
		}
		for i, best := range Best(means, m.higher, m.tableDecimals()) {
			strong[i][column] = best
		}
	}
	return strong
}

// tableCaption says what was measured and over how many seeds.
func tableCaption(test string, methods []series) string {
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
