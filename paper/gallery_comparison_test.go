package paper

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/report"
)

// The tables of levels in committed comparisons are what the committed cells say.
func TestComparisonsFollowFromTheirCells(t *testing.T) {
	for _, c := range committedResults(t) {
		if c.tables == "" {
			continue
		}
		checkSummary(t, c)
		rows := slices.Collect(comparisonRows(c.tables))
		if len(rows) == 0 || len(rows)%4 != 0 {
			t.Errorf("%s: %d rows of levels, want four metrics of each method", c.name, len(rows))
		}
		for _, row := range rows {
			column, factor, format := "nll", 1.0, "%.3f"
			switch {
			case strings.HasPrefix(row.metric, "scaled"):
				column = "nll_t"
			case strings.HasPrefix(row.metric, "error"):
				column, factor, format = "error", 100, "%.1f"
			case row.metric == "mean ECE":
				column = "ece"
			case row.metric != "NLL (nats)":
				t.Errorf("%s: nothing compares the metric %q", c.name, row.metric)
			}
			for level, mean := range meanOfCells(t, c.folder, row.method, column) {
				if want := fmt.Sprintf(format, factor*mean); row.values[level] != want {
					t.Errorf("%s: %s of %s at level %d is %s in the table, %s by the cells", c.name, row.metric, row.method, level, row.values[level], want)
				}
			}
		}
	}
}

// checkSummary compares the means over all corruptions in the first table with the cells, and its
// columns of clean images with the level 0 of the second one.
func checkSummary(t *testing.T, c committed) {
	t.Helper()
	table, _, _ := strings.Cut(c.tables, "\n\n")
	lines := strings.Split(table, "\n")[2:]
	if len(lines) == 0 {
		t.Errorf("%s: no row in the first table", c.name)
	}
	for _, line := range lines {
		cells := tableCells(line)
		for i, column := range []string{"nll", "nll_t", "error"} {
			levels := meanOfCells(t, c.folder, cells[0], column)
			corrupted := 0.0
			for _, value := range levels[1:] {
				corrupted += value / 5
			}
			format, factor := "%.3f", 1.0
			if column == "error" {
				format, factor = "%.1f", 100
			}
			for place, value := range []float64{levels[0], corrupted} {
				if want := fmt.Sprintf(format, factor*value); cells[1+2*i+place] != want {
					t.Errorf("%s: %s of %s is %s in the first table, %s by the cells", c.name, column, cells[0], cells[1+2*i+place], want)
				}
			}
		}
	}
}

// tableCells are the cells of a row in Markdown, without bold type and without what follows a mean.
func tableCells(line string) []string {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i, cell := range cells {
		cell, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(cell), "*"), " ±")
		cells[i] = strings.Trim(cell, "*")
	}
	return cells
}

// meanOfCells returns the means of a column at the levels, over a method's committed runs.
func meanOfCells(t *testing.T, folder, method, column string) (means [6]float64) {
	t.Helper()
	runs := runsOfCells(t, folder, method, column)
	for _, run := range runs {
		for level, value := range run {
			means[level] += value / float64(len(runs))
		}
	}
	return means
}

// runsOfCells returns a column at the levels for each of a method's committed runs, by seed.
func runsOfCells(t *testing.T, folder, method, column string) (runs [][6]float64) {
	t.Helper()
	base := filepath.Join(folder, cardsFolder, report.FileName(method))
	paths, err := filepath.Glob(base + "-seed[0-9].cells.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 { // an ensemble
		paths = []string{base + ".cells.csv"}
	}
	for _, path := range paths {
		runs = append(runs, levelsOfCells(t, path, column))
	}
	return runs
}

// levelsOfCells returns the means of a column at the levels of the suite all19.
func levelsOfCells(t *testing.T, path, column string) (means [6]float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	suite, severity, at := slices.Index(rows[0], "suite"), slices.Index(rows[0], "severity"), slices.Index(rows[0], column)
	const corruptions = 19
	for _, row := range rows[1:] {
		if row[suite] != "all19" {
			continue
		}
		value, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatalf("%s: row %v: %v", path, row, err)
		}
		level, err := strconv.Atoi(row[severity])
		if err != nil {
			t.Fatalf("%s: row %v: %v", path, row, err)
		}
		if level > 0 {
			value /= corruptions
		}
		means[level] += value
	}
	return means
}

type levelsRow struct {
	metric, method string
	values         []string // [6]
}

// comparisonRows are the rows of the table of levels. A metric is named in its first row.
func comparisonRows(tables string) func(yield func(levelsRow) bool) {
	return func(yield func(levelsRow) bool) {
		_, table, _ := strings.Cut(tables, "|  | level |")
		metric := ""
		for line := range strings.Lines(table) {
			cells := tableCells(line)
			if len(cells) != 8 || strings.HasPrefix(cells[0], ":") {
				continue
			}
			if cells[0] != "" {
				metric = cells[0]
			}
			values := cells[2:]
			if !yield(levelsRow{metric, cells[1], values}) {
				return
			}
		}
	}
}
