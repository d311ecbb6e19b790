package report

import (
	"fmt"
	"os"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// OutsideTable returns how well methods tell clean test images of their own from those of another
// data set: a row for each method and uncertainty, "mean ± standard deviation" over the seeds. Of
// several methods, the best of each uncertainty is in bold.
func OutsideTable(methods score.OutsideMethods, data string) (viz.Table, error) {
	if len(methods) == 0 {
		return viz.Table{}, fmt.Errorf("report: 0 methods tested on images of %s: give at least one", data)
	}
	table := viz.Table{
		Header: []string{"", "uncertainty", "AUROC", "FPR95 %"}, Labels: 2,
		Caption: "clean test images against those of " + data + "; AUROC: 0.5 is chance, 1 perfect; " +
			"FPR95: images from outside that pass where 95 % of the own do",
	}
	var detections []score.DetectionSummary
	for _, m := range methods {
		for _, d := range m.Detections {
			table.Rows = append(table.Rows, []string{
				m.Name, d.Uncertainty, viz.MeanStd(d.AUROC.Mean, d.AUROC.Std, d.AUROC.N, areaDecimals),
				viz.MeanStd(100*d.FPR95.Mean, 100*d.FPR95.Std, d.FPR95.N, rateDecimals),
			})
			detections = append(detections, d)
		}
	}
	if len(methods) > 1 {
		table.Strong = strongDetections(detections)
	}
	return table, nil
}

// Decimals of an AUROC and of an FPR95 in percent.
const (
	areaDecimals = 3
	rateDecimals = 1
)

// strongDetections returns which cells of the rows with these detections are in bold: of those with
// the same uncertainty the greatest AUROC and the least FPR95.
func strongDetections(rows []score.DetectionSummary) [][]bool {
	alike := map[string][]int{} // rows of each uncertainty
	for row, d := range rows {
		alike[d.Uncertainty] = append(alike[d.Uncertainty], row)
	}
	strong := make([][]bool, len(rows))
	for _, places := range alike {
		areas, rates := make([]float64, len(places)), make([]float64, len(places))
		for i, row := range places {
			areas[i], rates[i] = rows[row].AUROC.Mean, 100*rows[row].FPR95.Mean
		}
		greatest, least := viz.Best(areas, true, areaDecimals), viz.Best(rates, false, rateDecimals)
		for i, row := range places {
			strong[row] = []bool{false, false, greatest[i], least[i]}
		}
	}
	return strong
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
		{"outside.csv", "", tables, viz.Table.CSV, ""},
		{"outside.tex", latexHead, tables, viz.Table.LaTeX, ""},
		{"outside.md", "", tables, viz.Table.Markdown, ""},
		{"outside.html", pageHead, tables, viz.Table.HTML, ""},
	})
}
