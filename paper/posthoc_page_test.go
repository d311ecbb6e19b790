package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var benchmarkFolder = filepath.Join(resultsFolder, "benchmark")

// The table of docs/posthoc.md is what the committed cells say.
func TestPosthocTable(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "posthoc.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ begin, name, column, format string }{
		{"NLL | the ordinary network (MAP)", "MAP", "nll", "%.3f"},
		{"NLL | MAP, temperature-scaled", "MAP", "nll_t", "%.3f"},
		{"NLL | noise of fixed σ = 0.1", "fixed noise", "nll", "%.3f"},
		{"NLL | post hoc node-BNN", "post hoc", "nll", "%.3f"},
		{"error % | the ordinary network (MAP)", "MAP", "error", "%.1f"},
		{"error % | noise of fixed σ = 0.1", "fixed noise", "error", "%.1f"},
		{"error % | post hoc node-BNN", "post hoc", "error", "%.1f"},
	} {
		want, factor := "| "+row.begin+" |", 1.0
		if row.column == "error" {
			factor = 100
		}
		for _, value := range meanOfCells(t, benchmarkFolder, row.name, row.column) {
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
	trained := meanOfCells(t, benchmarkFolder, "post hoc", "nll")
	for _, c := range []struct {
		rival string
		nll   [6]float64
		from  int
	}{
		{"the parent", meanOfCells(t, benchmarkFolder, "MAP", "nll"), 1},
		{"the scaled parent", meanOfCells(t, benchmarkFolder, "MAP", "nll_t"), 2},
		{"fixed noise", meanOfCells(t, benchmarkFolder, "fixed noise", "nll"), 3},
	} {
		for level, nll := range c.nll {
			if lower := trained[level] < nll; lower != (level >= c.from) {
				t.Errorf("level %d: trained noise has %g, %s %g: want lower from level %d on", level, trained[level], c.rival, nll, c.from)
			}
		}
	}
	if clean := meanOfCells(t, benchmarkFolder, "post hoc", "error")[0]; clean <= meanOfCells(t, benchmarkFolder, "MAP", "error")[0] {
		t.Errorf("the clean error is %g, want more than the parent's", clean)
	}
}
