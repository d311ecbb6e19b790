package report

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// saveTables writes the tables of a comparison and returns the paths of the files: the summary, the
// levels and the differences from a baseline with further metrics as numbers for programs and as
// LaTeX, all as Markdown, and with the cells as a page.
func saveTables(c score.Comparison, directory string, further []string) (paths []string,
	err error) {
	metrics, plain := append(Metrics(c), further...), c // which programs read
	c = Marked(c, false)
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
		numbers, err := baselineNumbers(plain, metrics)
		if err != nil {
			return nil, err
		}
		if len(differences.Rows) > 0 { // otherwise no method has a seed of the baseline's
			differences.Caption = test(c) + "; " + differences.Caption
			explain(&differences, c)
			pages = append(pages, differences)
			ofDifferences = []tableFile{
				{"differences.csv", []viz.Table{numbers}},
				{"differences.tex", []viz.Table{differences}},
			}
		}
	}
	all := slices.Clone(pages)
	for _, metric := range Metrics(c) {
		// a cell has an ECE
		cells, err := CellTable(c, strings.TrimPrefix(metric, "Mean"))
		if err != nil {
			return nil, err
		}
		all = append(all, cells)
	}
	summaryNumbers, err := numbersOf(plain, metrics, "images", splits)
	if err != nil {
		return nil, err
	}
	addCosts(&summaryNumbers, plain)
	levelNumbers, err := numbersOf(plain, metrics, "level", allLevels)
	if err != nil {
		return nil, err
	}
	return saveFiles(directory, append([]tableFile{
		{"summary.csv", []viz.Table{summaryNumbers}},
		{"levels.csv", []viz.Table{levelNumbers}},
		{"summary.tex", pages[:1]},
		{"levels.tex", pages[1:2]},
		{"tables.md", pages},
		{"tables.html", all},
	}, ofDifferences...))
}

// tableFile is a file of tables in the format that its name ends in.
type tableFile struct {
	name   string
	tables []viz.Table
}

func saveFiles(directory string, all []tableFile) (paths []string, err error) {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	for _, file := range all {
		format := strings.TrimPrefix(filepath.Ext(file.name), ".")
		content := heads[format]
		for _, table := range file.tables {
			text, err := table.As(format)
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

// heads are the first lines of files of some formats.
var heads = map[string]string{
	"tex": "% \\usepackage{booktabs}; \\usepackage{graphicx} and " +
		"\\resizebox{\\textwidth}{!}{\\input{...}} if it is too wide\n",
	"html": "<!doctype html>\n<meta " +
		"charset=\"utf-8\">\n<title>Comparison</title>\n<style>" +
		"body{font-family:sans-serif}table{margin-bottom:1.5em}</style>\n",
}

// numbers returns a table for programs: the given columns, then means over seeds with the ends of
// their 95 % t-intervals, with all digits in the units of cells.csv.
func numbers(columns ...string) viz.Table {
	return viz.Table{Header: append(columns, "mean", "sd", "n", "low", "high"),
		Labels: len(columns)}
}

// addNumber adds a row. A single seed has no standard deviation, and few have no interval.
func addNumber(table *viz.Table, s score.Summary, columns ...string) {
	sd, low, high := "", "", ""
	if s.N > 1 {
		sd = digits(s.Std)
	}
	if interval := s.Interval(0.95); interval != nil {
		low, high = digits(interval[0]), digits(interval[1])
	}
	table.Rows = append(table.Rows, append(columns, digits(s.Mean), sd, strconv.Itoa(s.N), low,
		high))
}

func digits(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// numbersOf returns metrics of each method on sets of images, named in a column of the given title.
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

// meanStd writes a metric over seeds in its unit.
func meanStd(m score.Metric, s score.Summary) string {
	return quantity.MeanStd(m.Shown(s.Mean), m.Shown(s.Std), s.N, m.Decimals())
}
