package report

import (
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// saveTables writes the tables of a comparison and returns the paths of the files: the summary and
// the levels as comma-separated values and LaTeX, both as Markdown, and with the cells as a page.
func saveTables(c score.Comparison, directory string) (paths []string, err error) {
	summary, err := SummaryTable(c)
	if err != nil {
		return nil, err
	}
	levels, err := LevelTable(c)
	if err != nil {
		return nil, err
	}
	both := []viz.Table{summary, levels}
	all := both
	for _, metric := range Metrics(c) {
		cells, err := CellTable(c, metric)
		if err != nil {
			return nil, err
		}
		all = append(all, cells)
	}
	for _, file := range []struct {
		name       string
		before     string
		tables     []viz.Table
		text       func(viz.Table) (string, error)
		afterTable string
	}{
		{"summary.csv", "", both[:1], viz.Table.CSV, ""},
		{"levels.csv", "", both[1:], viz.Table.CSV, ""},
		{"summary.tex", latexHead, both[:1], viz.Table.LaTeX, ""},
		{"levels.tex", latexHead, both[1:], viz.Table.LaTeX, ""},
		{"tables.md", "", both, viz.Table.Markdown, "\n"},
		{"tables.html", pageHead, all, viz.Table.HTML, "<br>\n"},
	} {
		content := strings.Builder{}
		content.WriteString(file.before)
		for _, table := range file.tables {
			text, err := file.text(table)
			if err != nil {
				return nil, err
			}
			content.WriteString(text + file.afterTable)
		}
		path := filepath.Join(directory, file.name)
		if err := files.WriteBytes(path, []byte(content.String())); err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// latexHead begins a table for LaTeX.
const latexHead = "% \\usepackage{booktabs}; \\usepackage{graphicx} and \\resizebox{\\textwidth}{!}{\\input{...}} if it is too wide\n"

// pageHead begins the page of tables.
const pageHead = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Comparison</title>\n<body style=\"font-family:sans-serif\">\n"
