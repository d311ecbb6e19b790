package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Table returns metrics at the levels 0 to 5, "mean ± standard deviation" over the seeds, one row for
// each metric and method. Without arguments it has the negative log-likelihood.
func (r *Result) Table(metrics ...string) (viz.Table, error) {
	return r.table(metrics, func(s score.Summary, decimals int) []string {
		return []string{viz.MeanStd(s.Mean, s.Std, s.N, decimals)}
	})
}

// NarrowTable is Table with the standard deviations in rows of their own, for a terminal.
func (r *Result) NarrowTable(metrics ...string) (viz.Table, error) {
	return r.table(metrics, func(s score.Summary, decimals int) []string {
		if s.N < 2 {
			return []string{fmt.Sprintf("%.*f", decimals, s.Mean)}
		}
		return []string{fmt.Sprintf("%.*f", decimals, s.Mean), fmt.Sprintf("%.*f", decimals, s.Std)}
	})
}

// table has a row for each metric, method and text that cell returns.
func (r *Result) table(metrics []string, cell func(s score.Summary, decimals int) []string) (viz.Table, error) {
	if len(metrics) == 0 {
		metrics = []string{NLL}
	}
	table := viz.Table{Header: []string{"", "level"}, Labels: 2}
	for level := range score.LevelCount {
		table.Header = append(table.Header, fmt.Sprint(level))
	}
	for _, name := range metrics {
		metric, err := score.MetricByName(name)
		if err != nil {
			return viz.Table{}, err
		}
		for _, method := range r.methodNames() {
			summaries, err := r.LevelSummary(method, name)
			if err != nil {
				return viz.Table{}, err
			}
			table.Rows = append(table.Rows, tableRows(metric, method, summaries, cell)...)
		}
	}
	return table, nil
}

func tableRows(metric score.Metric, method string, summaries []score.Summary, cell func(s score.Summary, decimals int) []string) [][]string {
	var rows [][]string
	for _, s := range summaries {
		for i, text := range cell(score.Summary{Mean: metric.Shown(s.Mean), Std: metric.Shown(s.Std), N: s.N}, metric.Decimals()) {
			if i == len(rows) {
				rows = append(rows, []string{metric.Heading(), []string{method, "± sd"}[i]})
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}
