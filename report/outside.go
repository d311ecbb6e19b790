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
func OutsideTable(methods []score.OutsideMethod, data string) (viz.Table, error) {
	if len(methods) == 0 {
		return viz.Table{}, fmt.Errorf("report: 0 methods tested on images of %s: give at least one", data)
	}
	table := viz.Table{
		Header: []string{"", "uncertainty", "AUROC", "FPR95 %"}, Labels: 2,
		Caption: "clean test images against those of " + data + "; AUROC: 0.5 is chance, 1 perfect; " +
			"FPR95: images from outside that pass where 95 % of the own do",
	}
	best := bestDetections(methods)
	for _, m := range methods {
		for _, d := range m.Detections {
			area, rate := areaText(d), rateText(d)
			table.Rows = append(table.Rows, []string{
				m.Name, d.Uncertainty, viz.MeanStd(d.AUROC.Mean, d.AUROC.Std, d.AUROC.N, areaDecimals),
				viz.MeanStd(100*d.FPR95.Mean, 100*d.FPR95.Std, d.FPR95.N, rateDecimals),
			})
			strong := []bool{false, false, area == areaText(best[d.Uncertainty]), rate == rateText(best[d.Uncertainty])}
			table.Strong = append(table.Strong, strong)
		}
	}
	if len(methods) == 1 {
		table.Strong = nil
	}
	return table, nil
}

// Decimals of an AUROC and of an FPR95 in percent.
const (
	areaDecimals = 3
	rateDecimals = 1
)

// areaText is the mean AUROC as a table writes it.
func areaText(d score.DetectionSummary) string {
	return viz.MeanStd(d.AUROC.Mean, 0, 1, areaDecimals)
}

// rateText is the mean FPR95 as a table writes it.
func rateText(d score.DetectionSummary) string {
	return viz.MeanStd(100*d.FPR95.Mean, 0, 1, rateDecimals)
}

// bestDetections returns the greatest AUROC and the least FPR95 by each uncertainty.
func bestDetections(methods []score.OutsideMethod) map[string]score.DetectionSummary {
	all := map[string]score.DetectionSummary{}
	for _, m := range methods {
		for _, d := range m.Detections {
			best, found := all[d.Uncertainty]
			if !found {
				best = d
			}
			if d.AUROC.Mean > best.AUROC.Mean {
				best.AUROC = d.AUROC
			}
			if d.FPR95.Mean < best.FPR95.Mean {
				best.FPR95 = d.FPR95
			}
			all[d.Uncertainty] = best
		}
	}
	return all
}

// SaveOutside writes OutsideTable into a directory as comma-separated values, LaTeX, Markdown and a
// page, and returns the paths of the files.
func SaveOutside(methods []score.OutsideMethod, data, directory string) ([]string, error) {
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
