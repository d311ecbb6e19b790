package paper

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// cellMetrics are the metrics of single cells, by the names that the table of cells has for them.
var cellMetrics = map[string]string{NLL: "nll", Error: "error", ECE: "ece"}

// CellMaps returns a metric of each method, NLL, Error or ECE, under every corruption at every severity.
func (c Compared) CellMaps(metric string) ([]viz.CellMap, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	column, found := cellMetrics[metric]
	if !found {
		return nil, unknownMetric(metric, slices.Sorted(maps.Keys(cellMetrics)))
	}
	all := make([]viz.CellMap, len(c.Methods))
	for i, method := range c.Methods {
		cells, err := score.SummariseCells(c.suite(), method.Runs...)
		if err != nil {
			return nil, err
		}
		all[i] = viz.CellMap{Name: method.Name, Metric: metric, Corner: "severity", Columns: severityNames()[1:], Seeds: len(method.Runs), Test: c.test()}
		fillMap(&all[i], cells, column)
	}
	return all, nil
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

// HeatMaps draws a metric of all methods under every corruption at every severity, side by side with one range of colours.
func (c Compared) HeatMaps(metric string) (*viz.Figure, error) {
	maps, err := c.CellMaps(metric)
	if err != nil {
		return nil, err
	}
	return viz.SharedHeatMaps(maps...)
}

// Difference draws how far a metric of one method is above that of another under every corruption at every severity.
func (c Compared) Difference(metric, of, from string) (*viz.Figure, error) {
	maps, err := c.CellMaps(metric)
	if err != nil {
		return nil, err
	}
	var found []viz.CellMap
	for _, name := range []string{of, from} {
		at := slices.IndexFunc(maps, func(m viz.CellMap) bool { return m.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("paper: no method %q was compared: there are %q", name, c.names())
		}
		found = append(found, maps[at])
	}
	return viz.DifferenceMap(found[0], found[1])
}

// names are those of the methods.
func (c Compared) names() (names []string) {
	for _, method := range c.Methods {
		names = append(names, method.Name)
	}
	return names
}

// CellTable is what HeatMaps draws as a table, with the standard deviations over the seeds.
func (c Compared) CellTable(metric string) (viz.Table, error) {
	maps, err := c.CellMaps(metric)
	if err != nil {
		return viz.Table{}, err
	}
	return viz.CellTable(maps...)
}
