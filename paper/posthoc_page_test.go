package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var benchmarkFolder = filepath.Join(earlierFolder, "benchmark")

// The table of docs/posthoc.md is what the committed cells say.
func TestPosthocTable(t *testing.T) {
	page := testkit.Must(os.ReadFile(filepath.Join("..", "docs", "posthoc.md")))(t)
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

// So are its sentences, in every seed: below the parent from level 1 on, and below the scaled
// parent and noise of a fixed strength from level 3 on; more errors on clean images.
func TestPosthocSentences(t *testing.T) {
	for seed, trained := range runsOfCells(t, benchmarkFolder, "post hoc", "nll") {
		for _, c := range []struct {
			rival, method, column string
			from                  int
		}{
			{"the parent", "MAP", "nll", 1}, {"the scaled parent", "MAP", "nll_t", 3}, {"fixed noise", "fixed noise", "nll", 3},
		} {
			rival := runsOfCells(t, benchmarkFolder, c.method, c.column)[seed]
			for level := c.from; level < len(rival); level++ {
				if trained[level] >= rival[level] {
					t.Errorf("seed %d, level %d: trained noise has %g, %s %g: want lower from level %d on",
						seed+1, level, trained[level], c.rival, rival[level], c.from)
				}
			}
			if trained[0] <= rival[0] {
				t.Errorf("seed %d: on clean images trained noise has %g, %s %g: want higher", seed+1, trained[0], c.rival, rival[0])
			}
		}
		clean := runsOfCells(t, benchmarkFolder, "post hoc", "error")[seed][0]
		if parent := runsOfCells(t, benchmarkFolder, "MAP", "error")[seed][0]; clean <= parent {
			t.Errorf("seed %d: the clean error is %g, want more than the parent's %g", seed+1, clean, parent)
		}
	}
}
