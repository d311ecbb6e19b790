package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// costed is twoMethods with costs: M32 takes two passes in training and four samples.
func costed(t *testing.T) score.Comparison {
	c := twoMethods(t)
	for i := range c.Methods {
		cost := score.Cost{Parameters: 1234567, Epochs: 30, TrainingPasses: i + 1,
			PredictionPasses: 4 * (i + 1)}
		c.Methods[i].Costs = []score.Cost{cost, cost}
		c.Methods[i].Costs[0].TrainingSeconds = 10
	}
	c.Methods[0].Costs[1].TrainingSeconds = 20
	return c
}

// Of weights from elsewhere nobody knows the training: no table has a number of it.
func TestCostsOfWeightsFromElsewhere(t *testing.T) {
	c := costed(t)
	c.Methods[0].Costs = []score.Cost{{Parameters: 100, PredictionPasses: 1}}
	if row := testkit.Must(CostTable(c))(t).Rows[0]; !slices.Equal(row[1:],
		[]string{"100", "-", "-", "1", "-"}) {
		t.Errorf("the row is %q, want parameters and predictions alone", row)
	}
	var numbers viz.Table
	addCosts(&numbers, c)
	if slices.ContainsFunc(numbers.Rows, func(row []string) bool {
		return row[0] == "M16" && row[1] == "epochs"
	}) {
		t.Errorf("numbers are %q, want no epochs of M16", numbers.Rows)
	}
}

// Each row of the summary has the means of clean and of corrupted images and the cost; seconds that
// one run lacks aren't given.
func TestSummaryTable(t *testing.T) {
	table := testkit.Must(summaryTable(costed(t), "NLL"))(t)
	want := [][]string{
		{"M16", "0.600 ± 0.141", "0.900 ± 0.141", "1,234,567", "30", "1", "4", "15"},
		{"M32", "0.400 ± 0.000", "0.700 ± 0.000", "1,234,567", "30", "2", "8", "-"},
	}
	for i := range want {
		if !slices.Equal(table.Rows[i], want[i]) {
			t.Errorf("row %d is %q, want %q", i, table.Rows[i], want[i])
		}
	}
	without, err := CostTable(twoMethods(t))
	if err != nil || without.Rows[0][1] != "-" {
		t.Errorf("an unknown cost is %q (%v), want -", without.Rows, err)
	}
}

// A table of costs says that those of posthoc runs come on top of others.
func TestCostsOfPosthocRuns(t *testing.T) {
	c := costed(t)
	for _, want := range []bool{false, true} {
		for i := range c.Methods[1].Costs {
			c.Methods[1].Costs[i].Posthoc = want
		}
		costs := testkit.Must(CostTable(c))(t)
		summary := testkit.Must(summaryTable(c))(t)
		for _, caption := range []string{costs.Caption, summary.Caption} {
			if strings.HasSuffix(caption, "; post hoc: on top of the parent's training") != want {
				t.Errorf("the caption is %q, with a posthoc run: %v", caption, want)
			}
		}
	}
}

// threeSeeds are methods with three seeds each, whose NLL has the shifts.
func threeSeeds(t *testing.T, shifts ...[]float64) (c score.Comparison) {
	c.Suite = "first8"
	for i, seeds := range shifts {
		m := score.Method{Name: fmt.Sprint("method ", i), Seeds: []uint64{1, 2, 3}}
		for _, shift := range seeds {
			m.Cells = append(m.Cells, scoredCells(t, shift))
		}
		c.Methods = append(c.Methods, m)
	}
	return c
}

// The best mean is in bold in every table and format if the interval of its difference from each
// other method leaves zero out. Seeds spread by 0.2, so only differences within seeds tell these
// methods apart.
func TestBestInBold(t *testing.T) {
	first, better := []float64{0.5, 0.7, 0.6}, []float64{0.3, 0.5, 0.41}
	// from better by 0.01, -0.02 and 0.02: within the interval of zero
	alike := []float64{0.31, 0.48, 0.43}
	for _, test := range []struct {
		name   string
		c      score.Comparison
		change func(*score.Comparison)
		want   bool // whether the second is bold
	}{
		{"told apart", threeSeeds(t, first, better), nil, true},
		{"the best two alike", threeSeeds(t, first, better, alike), nil, false},
		{"no seed in common", threeSeeds(t, first, better), func(c *score.Comparison) {
			c.Methods[0].Seeds = []uint64{4, 5, 6}
		}, false},
		{"two seeds in common", threeSeeds(t, first, better), func(c *score.Comparison) {
			c.Methods[0].Seeds = []uint64{1, 2, 4}
		}, false},
		{"runs that hardly learnt", threeSeeds(t, first, better), func(c *score.Comparison) {
			c.Methods[0].Unlearnt = []uint64{2}
		}, false},
		{"a note on the images", threeSeeds(t, first, better), func(c *score.Comparison) {
			c.Notes = []string{"classes by numbers"}
		}, true},
	} {
		if test.change != nil {
			test.change(&test.c)
		}
		summary := testkit.Must(summaryTable(test.c, "NLL"))(t)
		levels := testkit.Must(LevelTable(test.c, "NLL"))(t)
		cells := testkit.Must(CellTable(test.c, "NLL"))(t)
		// of the second method under the last corruption
		last := len(cells.Strong) - len(test.c.Methods) + 1
		for what, got := range map[string][]bool{"summary": summary.Strong[1][1:3],
			"levels": levels.Strong[1][2:], "cells": cells.Strong[last][2:]} {
			if slices.Contains(got, !test.want) {
				t.Errorf("%s: bold in the %s are %v, want all %t", test.name, what, got, test.want)
			}
		}
		for _, table := range []viz.Table{summary, levels, cells} {
			if slices.Contains(slices.Concat(table.Strong[0],
				table.Strong[len(table.Strong)-len(test.c.Methods)]), true) {
				t.Errorf("%s: the first method is in bold", test.name)
			}
		}
		if text := testkit.Must(levels.As("tex"))(t); strings.Contains(text,
			`\textbf{0.403`) != test.want {
			t.Errorf("%s: the LaTeX table is\n%s", test.name, text)
		}
	}
}

// Where more is better, the greatest mean is in bold; of a coverage, which promises a number, none.
func TestGreatestInBold(t *testing.T) {
	c := threeSeeds(t, []float64{0.5, 0.5, 0.5}, []float64{0.5, 0.5, 0.5})
	for i, method := range c.Methods {
		for _, cells := range method.Cells {
			for k := range cells {
				cells[k].Top2, cells[k].Sets = 0.5+0.1*float64(i), &score.ConformalSets{}
				cells[k].Sets.Randomised.Coverage = 0.9 - 0.1*float64(i)
			}
		}
	}
	levels := testkit.Must(LevelTable(c, "Top2", "Coverage"))(t)
	for row, want := range []bool{false, true, false, false} {
		if levels.Strong[row][2] != want {
			t.Errorf("%s has in bold %v, want %v", levels.Rows[row], levels.Strong[row], want)
		}
	}
	for seed, above := range []float64{0.3, -0.1, 0.1} { // 0.1 [-0.4, 0.6]
		for k := range c.Methods[1].Cells[seed] {
			c.Methods[1].Cells[seed][k].Top2 = 0.5 + above
		}
	}
	if levels = testkit.Must(LevelTable(c, "Top2"))(t); levels.Strong[1][2] {
		t.Errorf("%s is in bold, though the interval of its difference holds zero", levels.Rows[1])
	}
}

func TestPassesNeedCosts(t *testing.T) {
	_, err := againstPasses(twoMethods(t))
	testkit.Error(t, "the cost of M16 isn't known", err, "the cost of M16 isn't known")
	figure := testkit.Must(againstPasses(costed(t)))(t)
	if panels := len(figure.Plots()); panels != 4 {
		t.Errorf("%d panels, want four", panels)
	}
}

// A method with runs that hardly learnt is marked in pictures and in tables for people, with a
// line that LaTeX sets; programs read its name alone.
func TestWhatHardlyLearntIsMarked(t *testing.T) {
	c := threeSeeds(t, []float64{0.5, 0.7, 0.6}, []float64{0.3, 0.5, 0.41})
	c.Methods[0].Unlearnt, c.Notes = []uint64{1, 3}, []string{"classes by numbers"}
	c.Baseline = "method 0"
	folder := t.TempDir()
	testkit.Must(Save(c, folder, nil, "svg"))(t)
	const small = `\multicolumn{8}{l}{\footnotesize `
	foot := small + `$^\dagger$ hardly learnt: the training NLL is near guessing: method 0 ` +
		"(seeds\u00a01\u00a03)} \\\\" +
		"\n" + small + `classes by numbers} \\`
	for file, wanted := range map[string][]string{
		"levels.tex":      {`NLL & method 0 $^\dagger$ & 0.600`, " & method 1 & 0.403", foot},
		"summary.tex":     {`method 0 $^\dagger$ & `, "classes by numbers}"},
		"differences.tex": {`minus method 0 $^\dagger$`, "method 0 (seeds\u00a01\u00a03)}"},
		"tables.md":       {"| method 0 † |", "method 0 (seeds 1 3)\n\nclasses by numbers\n"},
		"levels.csv":      {"\nmethod 0,NLL,0,0.6"},
		"differences.csv": {"\nmethod 1,method 0,NLL,0,"},
		"levels.svg":      {"method 0 † hardly learnt (2 of 3)", ">method 1<"},
	} {
		text := string(testkit.Must(os.ReadFile(filepath.Join(folder, file)))(t))
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s:\n%s", file, want, text)
			}
		}
	}
	testkit.Must(SaveClean(c, folder))(t)
	text := string(testkit.Must(os.ReadFile(filepath.Join(folder, "clean.tex")))(t))
	if !strings.Contains(text, `method 0 $^\dagger$ & 3 & 0.600`) ||
		!strings.Contains(text, "method 0 (seeds\u00a01\u00a03)}") {
		t.Errorf("clean.tex lacks the mark or its meaning:\n%s", text)
	}
}
