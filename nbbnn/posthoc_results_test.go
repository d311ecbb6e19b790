package nbbnn

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// levelMeans returns the means of a column of committed cells by severity.
func levelMeans(t *testing.T, name, column string) [6]float64 {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "docs", "results", "posthoc-resnet18", name+".cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, title := range rows[0] {
		at[title] = i
	}
	var sums, counts [6]float64
	for _, row := range rows[1:] {
		if row[at["suite"]] != "all19" {
			continue
		}
		value, err := strconv.ParseFloat(row[at[column]], 64)
		if err != nil {
			t.Fatalf("%s: row %v: %v", name, row, err)
		}
		severity, err := strconv.Atoi(row[at["severity"]])
		if err != nil {
			t.Fatalf("%s: row %v: %v", name, row, err)
		}
		sums[severity] += value
		counts[severity]++
	}
	if counts != [6]float64{1, 19, 19, 19, 19, 19} {
		t.Fatalf("%s has %v cells by severity, want one and 19 each", name, counts)
	}
	for level := range sums {
		sums[level] /= counts[level]
	}
	return sums
}

// The table of docs/posthoc.md is what the committed cells say.
func TestPosthocTable(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "posthoc.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ begin, name, column, format string }{
		{"NLL | the ordinary network (MAP)", "map", "nll", "%.3f"},
		{"NLL | MAP, temperature-scaled", "map", "nll_t", "%.3f"},
		{"NLL | noise of fixed σ = 0.1", "fixed", "nll", "%.3f"},
		{"NLL | post hoc node-BNN", "posthoc", "nll", "%.3f"},
		{"error % | the ordinary network (MAP)", "map", "error", "%.1f"},
		{"error % | noise of fixed σ = 0.1", "fixed", "error", "%.1f"},
		{"error % | post hoc node-BNN", "posthoc", "error", "%.1f"},
	} {
		want, factor := "| "+row.begin+" |", 1.0
		if row.column == "error" {
			factor = 100
		}
		for _, value := range levelMeans(t, row.name, row.column) {
			want += fmt.Sprintf(" "+row.format+" |", factor*value)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/posthoc.md lacks the row\n%s", want)
		}
	}
}

// So are its sentences: below the parent from level 1 on, below the scaled parent from level 2 on, and
// below noise of a fixed strength from level 3 on.
func TestPosthocSentences(t *testing.T) {
	trained := levelMeans(t, "posthoc", "nll")
	for _, c := range []struct {
		rival string
		nll   [6]float64
		from  int
	}{
		{"the parent", levelMeans(t, "map", "nll"), 1},
		{"the scaled parent", levelMeans(t, "map", "nll_t"), 2},
		{"fixed noise", levelMeans(t, "fixed", "nll"), 3},
	} {
		for level, nll := range c.nll {
			if lower := trained[level] < nll; lower != (level >= c.from) {
				t.Errorf("level %d: trained noise has %g, %s %g: want lower from level %d on", level, trained[level], c.rival, nll, c.from)
			}
		}
	}
	if clean := levelMeans(t, "posthoc", "error")[0]; clean <= levelMeans(t, "map", "error")[0] {
		t.Errorf("the clean error is %g, want more than the parent's", clean)
	}
}
