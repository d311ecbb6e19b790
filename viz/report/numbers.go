package report

import (
	"strconv"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// numbers returns a table for programs, of means over seeds with all digits and in the unit of
// cells.csv, after the columns that say of what.
func numbers(columns ...string) viz.Table {
	return viz.Table{Header: append(columns, "mean", "sd", "n"), Labels: len(columns)}
}

// addNumber adds a row. A single seed has no standard deviation.
func addNumber(table *viz.Table, s score.Summary, columns ...string) {
	sd := ""
	if s.N > 1 {
		sd = digits(s.Std)
	}
	table.Rows = append(table.Rows, append(columns, digits(s.Mean), sd, strconv.Itoa(s.N)))
}

func digits(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// comparedNumbers returns the numbers of SummaryTable, costs included, and of LevelTable.
func comparedNumbers(c score.Comparison, metrics []string) (summary, levels viz.Table, err error) {
	summary, levels = numbers("method", "metric", "images"), numbers("method", "metric", "level")
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return summary, levels, err
		}
		for _, images := range splits {
			values, err := images.of(c, metric)
			if err != nil {
				return summary, levels, err
			}
			for i, seeds := range values {
				addNumber(&summary, score.Summarise(seeds), c.Methods[i].Name, metric.Name, images.name)
			}
		}
		all, err := c.Series(metric)
		if err != nil {
			return summary, levels, err
		}
		for i, series := range all {
			for level, s := range series {
				addNumber(&levels, s, c.Methods[i].Name, metric.Name, strconv.Itoa(level))
			}
		}
	}
	for _, m := range c.Methods {
		cost, known := m.Cost()
		if !known {
			continue
		}
		for i, value := range []float64{
			float64(cost.Parameters), float64(cost.Epochs), float64(cost.TrainingPasses), float64(cost.PredictionPasses), cost.TrainingSeconds,
		} {
			addNumber(&summary, score.Summary{Mean: value, N: 1}, m.Name, costHeader[i], "")
		}
	}
	return summary, levels, nil
}

// outsideNumbers returns the numbers of OutsideTable.
func outsideNumbers(methods score.OutsideMethods) viz.Table {
	table := numbers("method", "uncertainty", "metric")
	area, rate := score.DetectionSummary{}.Metrics()
	for _, m := range methods {
		for _, d := range m.Detections {
			addNumber(&table, d.AUROC, m.Name, d.Uncertainty, area.Name)
			addNumber(&table, d.FPR95, m.Name, d.Uncertainty, rate.Name)
		}
	}
	return table
}
