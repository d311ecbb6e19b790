package report

import (
	"path/filepath"
	"slices"

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
	all := both
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
		{"tables.md", "", both, viz.Table.Markdown, "\n"},
		{"tables.html", pageHead, all, viz.Table.HTML, "<br>\n"},
	})
}

// saveFiles writes files of tables and returns their paths.
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
	for _, name := range further {
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, metric.Name) {
			all = append(all, metric.Name)
		}
	}
	return all, nil
}

// tableFile is a file of tables in one format.
type tableFile struct {
	name       string
	before     string // the beginning of the file
	tables     []viz.Table
	text       func(viz.Table) (string, error)
	afterTable string
}

// content returns the bytes of the file.
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
