package report

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// CellMaps returns a metric of each method under every corruption at every severity.
func CellMaps(c score.Comparison, name string) ([]viz.CellMap, error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	if metric.Column == "" {
		return nil, fmt.Errorf("report: cells have no %s: choose a metric of single cells, such as NLL, Error or ECE", metric.Name)
	}
	summaries, err := c.CellSummaries()
	if err != nil {
		return nil, err
	}
	all := make([]viz.CellMap, len(c.Methods))
	for i, method := range c.Methods {
		all[i] = viz.CellMap{
			Name: method.Name, Metric: metric.Name, Corner: "severity", Columns: severities(), Seeds: len(method.Cells), Test: test(c),
		}
		for _, cell := range summaries[i] {
			if _, found := cell.Metrics[metric.Column]; !found {
				return nil, fmt.Errorf("report: not all runs of %s have %s: `nbbnn evaluate` with the same settings adds it", method.Name, metric.Name)
			}
		}
		fillMap(&all[i], summaries[i], metric.Column)
	}
	return all, nil
}

// severities are the names of the severities 1 to 5.
func severities() (names []string) {
	for severity := 1; severity < score.LevelCount; severity++ {
		names = append(names, fmt.Sprint(severity))
	}
	return names
}

// fillMap adds a row for each corruption; the clean cell has none.
func fillMap(m *viz.CellMap, cells []score.CellSummary, column string) {
	for _, cell := range cells {
		if cell.Severity == 0 {
			continue
		}
		if last := len(m.Rows) - 1; last < 0 || m.Rows[last] != cell.Corruption {
			m.Rows, m.Mean, m.Std = append(m.Rows, cell.Corruption), append(m.Mean, nil), append(m.Std, nil)
		}
		row, value := len(m.Rows)-1, cell.Metrics[column]
		m.Mean[row], m.Std[row] = append(m.Mean[row], value.Mean), append(m.Std[row], value.Std)
	}
}

// HeatMaps draws a metric of all methods under every corruption at every severity, side by side
// with one range of colours.
func HeatMaps(c score.Comparison, metric string) (*viz.Figure, error) {
	maps, err := CellMaps(c, metric)
	if err != nil {
		return nil, err
	}
	return viz.SharedHeatMaps(maps...)
}

// Difference draws a metric of the method of minus that of the method from, under every corruption
// at every severity.
func Difference(c score.Comparison, metric, of, from string) (*viz.Figure, error) {
	var pair score.Comparison
	pair.Suite = c.Suite
	for _, name := range []string{of, from} {
		method, err := c.Method(name)
		if err != nil {
			return nil, err
		}
		pair.Methods = append(pair.Methods, method)
	}
	maps, err := CellMaps(pair, metric)
	if err != nil {
		return nil, err
	}
	return viz.DifferenceMap(maps[0], maps[1])
}

// CellTable returns the numbers that HeatMaps draws, with the standard deviations over the seeds.
func CellTable(c score.Comparison, metric string) (viz.Table, error) {
	maps, err := CellMaps(c, metric)
	if err != nil {
		return viz.Table{}, err
	}
	return viz.CellTable(maps...)
}
