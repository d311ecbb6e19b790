package viz

import (
	"errors"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
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
	methods := cellSeries(maps)
	table.Caption = tableCaption(testOf(methods), methods)
	for row := range first.Rows {
		addCells(&table, quantity, maps, row)
	}
	return table, nil
}

// addCells adds one row of all maps to a table.
func addCells(t *Table, quantity score.Metric, maps []CellMap, row int) {
	block := make([][]float64, len(maps))
	for i, cells := range maps {
		block[i] = cells.Mean[row]
		line := []string{captions(cells.Rows)[row], cells.Name}
		for column := range block[i] {
			line = append(line, cells.text(quantity, row, column))
		}
		t.Rows = append(t.Rows, line)
	}
	for _, strong := range bestOf(quantity, block) {
		t.Strong = append(t.Strong, append(make([]bool, 2), strong...))
	}
}

// text writes one cell; one without a value is a dash.
func (m CellMap) text(quantity score.Metric, row, column int) string {
	mean, deviation, seeds := m.Mean[row][column], 0.0, 1
	if math.IsNaN(mean) {
		return "-"
	}
	if m.Std != nil {
		deviation, seeds = m.Std[row][column], m.Seeds
	}
	return MeanStd(quantity.Shown(mean), quantity.Shown(deviation), seeds, quantity.Decimals())
}

// cellSeries returns the properties of maps that a caption describes.
func cellSeries(maps []CellMap) []Series {
	var all []Series
	for _, cells := range maps {
		s := Series{Name: cells.Name, Seeds: cells.Seeds, Test: cells.Test}
		if cells.Std != nil && cells.Seeds > 1 {
			s.Std = cells.Std[0]
		}
		all = append(all, s)
	}
	return all
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
