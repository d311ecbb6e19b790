package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// cleanValues returns a metric of each method's runs on clean images, of a comparison by their
// clean cells, [methods][seeds].
func cleanValues(c score.Comparison, metric score.Metric) (all [][]float64, err error) {
	for _, m := range c.Methods {
		values, err := cleanOf(metric, m)
		if err != nil {
			return nil, err
		}
		all = append(all, values)
	}
	return all, nil
}

// cleanOf returns a metric of each run of a method on clean images.
func cleanOf(metric score.Metric, m score.Method) (values []float64, err error) {
	for _, cells := range m.Cells {
		value := metric.Value(cells[0])
		if math.IsNaN(value) {
			return nil, fmt.Errorf("report: not all runs of %s have %s on clean images: leave "+
				"the metric out, or test them again", m.Name, metric.Name)
		}
		values = append(values, value)
	}
	return values, nil
}

// CleanSummaries returns a metric on clean images over the seeds of each method, of
// nbbnn.Compare.
func CleanSummaries(c score.Comparison, metric score.Metric) (all []score.Summary, err error) {
	each, err := cleanValues(c, metric)
	for _, values := range each {
		all = append(all, score.Summarise(values))
	}
	return all, err
}

// CleanTable has a row for each metric and method of nbbnn.Compare: "mean ± standard
// deviation" over the seeds and, with a baseline, the difference from that within seeds with its 95
// % t-interval. Without names, the metrics are Metrics; bold type is as in LevelTable.
func CleanTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	table := viz.Table{Header: []string{"", "level", "n", "0"}, Labels: 3,
		Caption: "level 0: clean images"}
	if c.Baseline != "" {
		table.Header = append(table.Header, "minus "+c.Baseline)
	}
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return table, err
	}
	for _, metric := range chosen {
		each, err := cleanValues(c, metric)
		if err != nil {
			return table, err
		}
		bold := best(c, metric, each)
		for i, m := range c.Methods {
			row := []string{metric.Heading(), m.Name, fmt.Sprint(len(each[i])),
				meanStd(metric, score.Summarise(each[i]))}
			if c.Baseline != "" {
				text := "-"
				if s := fromBaseline(c, each, i); s.N > 0 && m.Name != c.Baseline {
					text = intervalText(metric, s)
				}
				row = append(row, text)
			}
			table.Rows = append(table.Rows, row)
			strong := make([]bool, len(row))
			strong[3] = bold[i]
			table.Strong = append(table.Strong, strong)
		}
	}
	explain(&table, c)
	return table, nil
}

// fromBaseline returns the differences of a method from the baseline within seeds, of a metric of
// each method's runs.
func fromBaseline(c score.Comparison, each [][]float64, method int) score.Summary {
	baseline := slices.Index(c.Names(), c.Baseline)
	return score.Summarise(paired(c.Methods[method], c.Methods[baseline], each[method],
		each[baseline]))
}

// SaveClean writes CleanTable into a directory as comma-separated values, LaTeX, Markdown and a
// page, and returns the paths of the files.
func SaveClean(c score.Comparison, directory string, metrics ...string) ([]string, error) {
	table, err := CleanTable(Marked(c, false), append(Metrics(c), metrics...)...)
	if err != nil {
		return nil, err
	}
	seeds := numbers("method", "metric", "level")
	differences := numbers("method", "minus", "metric", "level")
	chosen, _ := metricsOf(append(Metrics(c), metrics...)) // as in the table
	for _, metric := range chosen {
		each, _ := cleanValues(c, metric)
		for i, m := range c.Methods {
			addNumber(&seeds, score.Summarise(each[i]), m.Name, metric.Name, "0")
			if c.Baseline != "" && m.Name != c.Baseline {
				addNumber(&differences, fromBaseline(c, each, i), m.Name, c.Baseline,
					metric.Name, "0")
			}
		}
	}
	tables := []viz.Table{table}
	saved := []tableFile{
		{"clean.csv", []viz.Table{seeds}},
		{"clean.tex", tables},
		{"clean.md", tables},
		{"clean.html", tables},
	}
	if len(differences.Rows) > 0 {
		saved = append(saved, tableFile{"differences.csv", []viz.Table{differences}})
	}
	return saveFiles(directory, saved)
}
