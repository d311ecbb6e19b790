package score

import (
	"fmt"
	"slices"
)

// CellSummary is one cell over several runs: every metric of cells.csv, by its name there.
type CellSummary struct {
	Corruption string             `json:"corruption"`
	Severity   int                `json:"severity"`
	Images     int                `json:"images"`
	Samples    int                `json:"samples"`
	Metrics    map[string]Summary `json:"metrics"`
}

// SummariseCells returns the table of corruption by severity of several runs on a suite, in the suite's order with the clean
// cell first. The cells may be of a larger suite.
func SummariseCells(suite string, runs ...Cells) ([]CellSummary, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("score: no runs to summarise on %s: give the cells of at least one", suite)
	}
	parts := make([]Cells, len(runs))
	for i, cells := range runs {
		var err error
		if parts[i], err = cells.Of(suite); err != nil {
			return nil, err
		}
	}
	table := make([]CellSummary, len(parts[0]))
	for row, first := range parts[0] {
		metrics, err := summariseCell(parts, row)
		if err != nil {
			return nil, err
		}
		table[row] = CellSummary{first.Corruption, first.Severity, first.Images, first.Samples, metrics}
	}
	return table, nil
}

// summariseCell takes one row of all parts together.
func summariseCell(parts []Cells, row int) (map[string]Summary, error) {
	first := parts[0][row]
	values := make([][]float64, len(metricColumns()))
	for _, part := range parts {
		cell := part[row]
		if cell.Images != first.Images || cell.Samples != first.Samples {
			return nil, fmt.Errorf("score: %s %d was tested with %d samples on %d images and with %d on %d: evaluate the runs alike",
				cell.Corruption, cell.Severity, first.Samples, first.Images, cell.Samples, cell.Images)
		}
		for i, metric := range cell.metrics() {
			values[i] = append(values[i], *metric)
		}
	}
	metrics := map[string]Summary{}
	for i, name := range metricColumns() {
		metrics[name] = Summarise(values[i])
	}
	return metrics, nil
}

// MetricNames are the names of the metrics in cells.csv, in its order.
func MetricNames() []string { return slices.Clone(metricColumns()) }
