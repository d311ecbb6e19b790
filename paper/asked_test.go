package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// The answers to the questions that were asked before their runs are what the committed cells say.
func TestAnswersFollowFromTheirRecords(t *testing.T) {
	page := strings.Join(strings.Fields(string(readFile(t, filepath.Join(resultsFolder, "beyond",
		"README.md")))), " ")
	all, severe, clean := []int{1, 2, 3, 4, 5}, []int{4, 5}, []int{0}
	for _, c := range []struct {
		folder, method, rival, column string
		levels                        []int
		seeds                         int
		form                          string
	}{
		{"fixed-noise", "learnt 36 epochs", "fixed 36 epochs", "nll", all, 5, "an NLL %s above"},
		{"fixed-noise", "learnt 36 epochs", "fixed 36 epochs", "nll_t", all, 5, "leaves %s,"},
		{"fixed-noise", "learnt 36 epochs", "fixed 36 epochs", "nll", clean, 5, "(clean %s)"},
		{"fixed-noise", "learnt 36 epochs", "fixed 36 epochs", "error", all, 5, "the error %s"},
		{"temperature", "gamma 16", "gamma 0", "nll_t", severe, 10, "lower by %s under"},
		{"temperature", "gamma 16", "gamma 0", "nll_t", all, 10, "(levels 1 to 5: %s)"},
		{"temperature", "gamma 16", "gamma 0", "nll", severe, 10, "without a temperature: %s"},
		{"temperature", "gamma 16", "gamma 0", "augrc", severe, 10, "AUGRC falls by %s"},
		{"temperature", "gamma 16", "gamma 0", "error", severe, 10, "error by %s"},
		{"temperature", "gamma 16", "gamma 0", "nll_t", clean, 10, "on clean images by %s"},
	} {
		folder := filepath.Join(resultsFolder, "beyond", c.folder)
		runs, rivals := runsOfCells(t, folder, c.method, c.column),
			runsOfCells(t, folder, c.rival, c.column)
		if len(runs) != c.seeds || len(rivals) != c.seeds {
			t.Fatalf("%s: %d and %d runs, want %d", c.folder, len(runs), len(rivals), c.seeds)
		}
		var differences []float64
		for seed := range runs {
			difference := 0.0
			for _, level := range c.levels {
				difference += (runs[seed][level] - rivals[seed][level]) / float64(len(c.levels))
			}
			differences = append(differences, difference)
		}
		if want := fmt.Sprintf(c.form, told(differences, strings.Contains(c.form, " by "),
			c.column)); !strings.Contains(page, want) {
			t.Errorf("docs/results/beyond/README.md lacks %q", want)
		}
	}
}

// told writes the mean of differences with its 95 % interval, of how much is lower if that is told.
func told(differences []float64, falls bool, column string) string {
	summary := score.Summarise(differences)
	half := summary.HalfInterval(0.95)
	values := []float64{summary.Mean, summary.Mean - half, summary.Mean + half}
	form := "%+.3f [%+.3f, %+.3f]"
	if falls {
		for i := range values {
			values[i] = -values[i]
		}
		slices.Sort(values[1:])
		form = "%.3f [%.3f, %.3f]"
	}
	if column == "error" {
		for i := range values {
			values[i] *= 100
		}
		form = strings.ReplaceAll(form, ".3", ".1") + " points"
	}
	return fmt.Sprintf(form, values[0], values[1], values[2])
}
