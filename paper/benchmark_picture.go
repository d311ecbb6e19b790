package paper

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/viz"
)

// benchmarkMetrics are the columns of a benchmark's panels, from left to right: the paper's, and
// the temperature-scaled likelihood if all runs have it.
var benchmarkMetrics = []string{ECE, NLL, ScaledNLL, Error}

// mostTogether is the largest number of methods that are drawn in one row with their ensembles.
const mostTogether = 5

// drawBenchmark returns a row of panels for each data set: those of benchmarkMetrics that all runs
// have, against the corruption level. The ensembles of many methods have a row of their own, with
// the same vertical ranges.
func drawBenchmark(r *Result) (*viz.Figure, error) {
	all := withEnsembles(r)
	var grid []viz.LevelRow
	var alike [][]int // rows with the same ranges
	for _, name := range all.rows() {
		drawn := levelRows(all.row(name), name, all.measured(benchmarkMetrics...))
		var rows []int
		for range drawn {
			rows = append(rows, len(grid)+len(rows))
		}
		grid, alike = append(grid, drawn...), append(alike, rows)
	}
	figure, err := viz.LevelGrid(grid...)
	if err != nil {
		return nil, err
	}
	shareRows(figure, len(grid[0].Panels), alike)
	return figure, nil
}

// levelRows returns the panels of one data set: one row, or two if it has many methods and
// ensembles of them.
func levelRows(row *Result, name string, metrics []string) (drawn []viz.LevelRow) {
	single, ensembles := onlyEnsembles(row, false), onlyEnsembles(row, true)
	if len(single.Setup.Methods) <= mostTogether || len(ensembles.Runs) == 0 {
		return []viz.LevelRow{{Title: name, Panels: levelPanels(row, metrics)}}
	}
	kinds := []string{"single runs", fmt.Sprintf("ensembles of %d", row.Setup.Ensemble)}
	for i, part := range []*Result{single, ensembles} {
		drawn = append(drawn, viz.LevelRow{Title: strings.TrimPrefix(name+", "+kinds[i], ", "), Panels: levelPanels(part, metrics)})
	}
	return drawn
}

func levelPanels(r *Result, metrics []string) (panels []viz.LevelPanel) {
	for _, metric := range metrics {
		panels = append(panels, viz.LevelPanel{Metric: metric, Curves: r.levelCurves(metric)})
	}
	return panels
}

// shareRows gives the panels of each column the same vertical range in the rows that are alike.
func shareRows(figure *viz.Figure, columns int, alike [][]int) {
	for _, rows := range alike {
		for column := range columns {
			var plots []*plot.Plot
			for _, row := range rows {
				plots = append(plots, figure.Plots()[row*columns+column])
			}
			sharePlotRange(plots)
		}
	}
}
