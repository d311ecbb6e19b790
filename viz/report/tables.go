package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// saveTables writes the tables of a comparison and returns the paths of the files: the summary and
// the levels with further metrics as numbers for programs and as LaTeX, both as Markdown, and with
// the cells as a page.
func saveTables(c score.Comparison, directory string, further []string) (paths []string, err error) {
	metrics, err := withFurther(Metrics(c), further)
	if err != nil {
		return nil, err
	}
	summary, err := SummaryTable(c, metrics...)
	if err != nil {
		return nil, err
	}
	levels, err := LevelTable(c, metrics...)
	if err != nil {
		return nil, err
	}
	both := []viz.Table{summary, levels}
	pages := both
	if c.Baseline != "" {
		baseline, err := BaselineTable(c, metrics...)
		if err != nil {
			return nil, err
		}
		pages = append(pages, baseline)
	}
	all := pages
	for _, metric := range cellMetrics(c) {
		cells, err := CellTable(c, metric)
		if err != nil {
			return nil, err
		}
		all = append(all, cells)
	}
	summaryNumbers, levelNumbers, err := comparedNumbers(c, metrics)
	if err != nil {
		return nil, err
	}
	return saveFiles(directory, []tableFile{
		{"summary.csv", "", []viz.Table{summaryNumbers}, viz.Table.CSV, ""},
		{"levels.csv", "", []viz.Table{levelNumbers}, viz.Table.CSV, ""},
		{"summary.tex", latexHead, both[:1], viz.Table.LaTeX, ""},
		{"levels.tex", latexHead, both[1:], viz.Table.LaTeX, ""},
		{"tables.md", "", pages, viz.Table.Markdown, "\n"},
		{"tables.html", pageHead, all, viz.Table.HTML, "<br>\n"},
	})
}

func saveFiles(directory string, tables []tableFile) (paths []string, err error) {
	for _, file := range tables {
		content, err := file.content()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(directory, file.name)
		if err := files.WriteBytes(path, content); err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// withFurther returns the names of metrics with those of further ones, each once.
func withFurther(names, further []string) ([]string, error) {
	all := slices.Clone(names)
	metrics, err := metricsOf(further)
	for _, metric := range metrics {
		if !slices.Contains(all, metric.Name) {
			all = append(all, metric.Name)
		}
	}
	return all, err
}

// tableFile is a file of tables in one format.
type tableFile struct {
	name       string
	before     string // the beginning of the file
	tables     []viz.Table
	text       func(viz.Table) (string, error)
	afterTable string
}

func (f tableFile) content() ([]byte, error) {
	content := []byte(f.before)
	for _, table := range f.tables {
		text, err := f.text(table)
		if err != nil {
			return nil, err
		}
		content = append(content, text+f.afterTable...)
	}
	return content, nil
}

// latexHead begins a table for LaTeX.
const latexHead = "% \\usepackage{booktabs}; \\usepackage{graphicx} and \\resizebox{\\textwidth}{!}{\\input{...}} if it is too wide\n"

// pageHead begins the page of tables.
const pageHead = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Comparison</title>\n<body style=\"font-family:sans-serif\">\n"

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
	chosen, err := metricsOf(metrics)
	if err != nil {
		return summary, levels, err
	}
	for _, metric := range chosen {
		means, err := seriesOf(c, metric, splits...)
		if err != nil {
			return summary, levels, err
		}
		curves, err := seriesOf(c, metric, allLevels...)
		if err != nil {
			return summary, levels, err
		}
		for k, images := range splits {
			for _, s := range means {
				addNumber(&summary, at(s, k), s.Name, metric.Name, images.name)
			}
		}
		for _, s := range curves {
			for level, place := range allLevels {
				addNumber(&levels, at(s, level), s.Name, metric.Name, place.name)
			}
		}
	}
	for _, m := range c.Methods {
		cost, _ := m.Cost()
		cells := costCells(m)
		for i, value := range []float64{
			float64(cost.Parameters), float64(cost.Epochs), float64(cost.TrainingPasses), float64(cost.PredictionPasses), cost.TrainingSeconds,
		} {
			if cells[i] != "-" {
				addNumber(&summary, score.Summary{Mean: value, N: 1}, m.Name, costHeader[i], "")
			}
		}
	}
	return summary, levels, nil
}

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
