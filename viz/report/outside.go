package report

import (
	"fmt"
	"os"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// OutsideTable returns how well methods tell clean test images of their own from those of another
// data set: a row for each method and uncertainty, "mean ± standard deviation" over the seeds. The best
// of each uncertainty is in bold (viz.Best).
func OutsideTable(methods score.OutsideMethods, data string) (viz.Table, error) {
	if len(methods) == 0 {
		return viz.Table{}, fmt.Errorf("report: 0 methods tested on images of %s: give at least one", data)
	}
	area, rate := score.DetectionSummary{}.Metrics()
	table := viz.Table{
		Header: []string{"", "uncertainty", area.Heading(), rate.Heading()}, Labels: 2,
		Caption: "clean test images against those of " + data + "; AUROC: 0.5 is chance, 1 perfect; " +
			"FPR95: images from outside that pass where 95 % of the own do",
	}
	alike := map[string][]int{} // rows of each uncertainty
	areas, rates := map[string][]score.Summary{}, map[string][]score.Summary{}
	for _, m := range methods {
		for _, d := range m.Detections {
			alike[d.Uncertainty] = append(alike[d.Uncertainty], len(table.Rows))
			table.Rows = append(table.Rows, []string{m.Name, d.Uncertainty, meanStd(area, d.AUROC), meanStd(rate, d.FPR95)})
			areas[d.Uncertainty], rates[d.Uncertainty] = append(areas[d.Uncertainty], d.AUROC), append(rates[d.Uncertainty], d.FPR95)
		}
	}
	table.Strong = make([][]bool, len(table.Rows))
	for uncertainty, rows := range alike {
		byArea, byRate := viz.Best(area, areas[uncertainty]), viz.Best(rate, rates[uncertainty])
		for i, row := range rows {
			table.Strong[row] = []bool{false, false, byArea[i], byRate[i]}
		}
	}
	return table, nil
}

// meanStd writes a metric over seeds in its unit.
func meanStd(m score.Metric, s score.Summary) string {
	return viz.MeanStd(m.Shown(s.Mean), m.Shown(s.Std), s.N, m.Decimals())
}

// SaveOutside writes OutsideTable into a directory as comma-separated values, LaTeX, Markdown and a
// page, and returns the paths of the files.
func SaveOutside(methods score.OutsideMethods, data, directory string) ([]string, error) {
	table, err := OutsideTable(methods, data)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	tables := []viz.Table{table}
	return saveFiles(directory, []tableFile{
		{"outside.csv", "", []viz.Table{outsideNumbers(methods)}, viz.Table.CSV, ""},
		{"outside.tex", latexHead, tables, viz.Table.LaTeX, ""},
		{"outside.md", "", tables, viz.Table.Markdown, ""},
		{"outside.html", pageHead, tables, viz.Table.HTML, ""},
	})
}
