package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// saveTables writes the tables of a comparison and returns the paths of the files: the summary, the
// levels and the differences from a baseline with further metrics as numbers for programs and as
// LaTeX, all as Markdown, and with the cells as a page.
func saveTables(c score.Comparison, directory string, further []string) (paths []string,
	err error) {
	metrics := append(Metrics(c), further...)
	summary, err := summaryTable(c, metrics...)
	if err != nil {
		return nil, err
	}
	levels, err := LevelTable(c, metrics...)
	if err != nil {
		return nil, err
	}
	pages := []viz.Table{summary, levels}
	var ofDifferences []tableFile
	if c.Baseline != "" {
		differences, err := BaselineTable(c, metrics...)
		if err != nil {
			return nil, err
		}
		numbers, err := baselineNumbers(c, metrics)
		if err != nil {
			return nil, err
		}
		if len(differences.Rows) > 0 { // else no method has a seed of the baseline's
			pages = append(pages, differences)
			ofDifferences = []tableFile{
				{"differences.csv", "", []viz.Table{numbers}, viz.Table.CSV},
				{"differences.tex", latexHead, []viz.Table{differences}, viz.Table.LaTeX},
			}
		}
	}
	all := slices.Clone(pages)
	for _, metric := range Metrics(c) {
		// a cell has an ECE of its own
		cells, err := CellTable(c, strings.TrimPrefix(metric, "Mean"))
		if err != nil {
			return nil, err
		}
		all = append(all, cells)
	}
	summaryNumbers, err := numbersOf(c, metrics, "images", splits)
	if err != nil {
		return nil, err
	}
	addCosts(&summaryNumbers, c)
	levelNumbers, err := numbersOf(c, metrics, "level", allLevels)
	if err != nil {
		return nil, err
	}
	return saveFiles(directory, append([]tableFile{
		{"summary.csv", "", []viz.Table{summaryNumbers}, viz.Table.CSV},
		{"levels.csv", "", []viz.Table{levelNumbers}, viz.Table.CSV},
		{"summary.tex", latexHead, pages[:1], viz.Table.LaTeX},
		{"levels.tex", latexHead, pages[1:2], viz.Table.LaTeX},
		{"tables.md", "", pages, viz.Table.Markdown},
		{"tables.html", pageHead, all, viz.Table.HTML},
	}, ofDifferences...))
}

// tableFile is a file of tables in one format.
type tableFile struct {
	name   string
	before string // the beginning of the file
	tables []viz.Table
	text   func(viz.Table) (string, error)
}

func saveFiles(directory string, all []tableFile) (paths []string, err error) {
	for _, file := range all {
		content := file.before
		for _, table := range file.tables {
			text, err := file.text(table)
			if err != nil {
				return nil, err
			}
			if content += text; len(file.tables) > 1 {
				content += "\n"
			}
		}
		path := filepath.Join(directory, file.name)
		if err := files.WriteBytes(path, []byte(content)); err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// latexHead begins a table for LaTeX.
const latexHead = "% \\usepackage{booktabs}; \\usepackage{graphicx} and " +
	"\\resizebox{\\textwidth}{!}{\\input{...}} if it is too wide\n"

// pageHead begins the page of tables.
const pageHead = "<!doctype html>\n<meta " +
	"charset=\"utf-8\">\n<title>Comparison</title>\n<style>body{font-family:sans-serif}table{margin-bottom:1.5em}</style>\n"

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

// numbersOf returns metrics of each method on sets of images, which a column of the given name
// says.
func numbersOf(c score.Comparison, metrics []string, column string, images []split) (viz.Table,
	error) {
	table := numbers("method", "metric", column)
	chosen, err := metricsOf(metrics)
	if err != nil {
		return table, err
	}
	for _, metric := range chosen {
		methods, err := seriesOf(c, metric, images...)
		if err != nil {
			return table, err
		}
		for _, s := range methods {
			for k, place := range images {
				addNumber(&table, at(s, k), s.Name, metric.Name, place.name)
			}
		}
	}
	return table, nil
}

// addCosts adds the known costs of the methods.
func addCosts(table *viz.Table, c score.Comparison) {
	for _, m := range c.Methods {
		for i, value := range costValues(m) {
			if !math.IsNaN(value) {
				addNumber(table, score.Summary{Mean: value, N: 1}, m.Name, costHeader[i], "")
			}
		}
	}
}

func outsideNumbers(c score.Comparison) viz.Table {
	table := numbers("method", "uncertainty", "metric")
	area, rate := score.DetectionSummary{}.Metrics()
	for _, m := range c.Methods {
		for _, d := range m.Detections {
			addNumber(&table, d.AUROC, m.Name, d.Uncertainty, area.Name)
			addNumber(&table, d.FPR95, m.Name, d.Uncertainty, rate.Name)
		}
	}
	return table
}

// OutsideTable returns how well methods tell clean test images of their own from another data
// set's: a row for each method and uncertainty, "mean ± standard deviation" over the seeds. Among
// the rows of an uncertainty bold type is as in LevelTable.
func OutsideTable(c score.Comparison, data string) (viz.Table, error) {
	if len(c.Methods) == 0 {
		return viz.Table{}, fmt.Errorf("report: 0 methods tested on images of %s: give at least "+
			"one", data)
	}
	area, rate := score.DetectionSummary{}.Metrics()
	table := viz.Table{
		Header: []string{"", "uncertainty", area.Heading(), rate.Heading()}, Labels: 2,
		Caption: "clean test images against images of " +
			data + "; AUROC: 0.5 is chance, 1 perfect; " +
			"FPR95: images from outside that pass where 95 % of the own do",
	}
	rows := map[string][]int{}                                         // of each uncertainty
	tested := map[string]score.Comparison{}                            // its methods
	areas, rates := map[string][][]float64{}, map[string][][]float64{} // of their runs
	for _, m := range c.Methods {
		for _, d := range m.Detections {
			name := d.Uncertainty
			rows[name] = append(rows[name], len(table.Rows))
			table.Rows = append(table.Rows, []string{m.Name, name, meanStd(area, d.AUROC),
				meanStd(rate, d.FPR95)})
			tested[name] = score.Comparison{Methods: append(tested[name].Methods, m)}
			var area, rate []float64
			for _, run := range d.Each {
				area, rate = append(area, run.AUROC), append(rate, run.FPR95)
			}
			areas[name], rates[name] = append(areas[name], area), append(rates[name], rate)
		}
	}
	table.Strong = make([][]bool, len(table.Rows))
	for name, places := range rows {
		byArea, byRate := best(tested[name], area, areas[name]),
			best(tested[name], rate, rates[name])
		for i, row := range places {
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
func SaveOutside(c score.Comparison, data, directory string) ([]string, error) {
	table, err := OutsideTable(c, data)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	tables := []viz.Table{table}
	return saveFiles(directory, []tableFile{
		{"outside.csv", "", []viz.Table{outsideNumbers(c)}, viz.Table.CSV},
		{"outside.tex", latexHead, tables, viz.Table.LaTeX},
		{"outside.md", "", tables, viz.Table.Markdown},
		{"outside.html", pageHead, tables, viz.Table.HTML},
	})
}
