package report

import (
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
		cost := score.Cost{Parameters: 1234567, Epochs: 30, TrainingPasses: i + 1, PredictionPasses: 4 * (i + 1)}
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
	if row := testkit.Must(CostTable(c))(t).Rows[0]; !slices.Equal(row[1:], []string{"100", "-", "-", "1", "-"}) {
		t.Errorf("the row is %q, want parameters and predictions alone", row)
	}
	var numbers viz.Table
	addCosts(&numbers, c)
	if slices.ContainsFunc(numbers.Rows, func(row []string) bool { return row[0] == "M16" && row[1] == "epochs" }) {
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
	if table.Strong[0][1] || !table.Strong[1][1] || !table.Strong[1][2] || table.Strong[1][3] {
		t.Errorf("in bold are %v, want the NLL of M32", table.Strong)
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

// A single seed of one method is enough for chance to choose: no table calls a mean the best.
func TestNoBestOfASingleSeed(t *testing.T) {
	c := twoMethods(t)
	c.Methods[0].Cells = c.Methods[0].Cells[:1]
	summary := testkit.Must(summaryTable(c))(t)
	levels := testkit.Must(LevelTable(c))(t)
	cells := testkit.Must(CellTable(c, "NLL"))(t)
	for _, table := range []viz.Table{summary, levels, cells} {
		if slices.Contains(slices.Concat(table.Strong...), true) {
			t.Errorf("in bold are %v of a table with a single seed, want nothing", table.Strong)
		}
	}
}

// Where more is better, the greatest mean is in bold; of a coverage, which promises a number, none.
func TestBestInBold(t *testing.T) {
	c := twoMethods(t)
	for i, method := range c.Methods {
		for _, cells := range method.Cells {
			for k := range cells {
				cells[k].Top2, cells[k].Sets = 0.5+0.1*float64(i), &score.ConformalSets{}
				cells[k].Sets.Randomised.Coverage = 0.9 - 0.1*float64(i)
			}
		}
	}
	summary := testkit.Must(summaryTable(c, "NLL", "Top2", "Coverage"))(t)
	for row, want := range [][]bool{{false, false, false}, {true, true, false}} {
		if got := []bool{summary.Strong[row][1], summary.Strong[row][3], summary.Strong[row][5]}; !slices.Equal(got, want) {
			t.Errorf("%s has in bold %v, want %v", summary.Rows[row], got, want)
		}
	}
	levels := testkit.Must(LevelTable(c, "Top2", "Coverage"))(t)
	for row, want := range []bool{false, true, false, false} {
		if levels.Strong[row][2] != want {
			t.Errorf("%s has in bold %v, want %v", levels.Rows[row], levels.Strong[row], want)
		}
	}
}

func TestPassesNeedCosts(t *testing.T) {
	_, err := againstPasses(twoMethods(t))
	testkit.Error(t, "the cost of M16 isn't known", err, "the cost of M16 isn't known")
	panels, err := PassesPanels(costed(t))
	if err != nil || len(panels) != 4 {
		t.Errorf("%d panels (%v), want four", len(panels), err)
	}
}

// detecting is a method with two seeds that detects by two uncertainties.
func detecting(name string, area, rate float64) score.Method {
	summary := func(mean float64) score.Summary { return score.Summarise([]float64{mean - 0.01, mean + 0.01}) }
	return score.Method{Name: name, Detections: []score.DetectionSummary{
		{Uncertainty: score.MaxProbability, AUROC: summary(area), FPR95: summary(rate)},
		{Uncertainty: score.Entropy, AUROC: summary(1 - area), FPR95: summary(1 - rate)},
	}}
}

// The greatest AUROC and the least FPR95 of each uncertainty are in bold, in all formats.
func TestOutsideTable(t *testing.T) {
	methods := []score.Method{detecting("A & B", 0.8, 0.3), detecting("M32", 0.7, 0.2)}
	compared, one := score.Comparison{Methods: methods}, score.Comparison{Methods: methods[:1]}
	table := testkit.Must(OutsideTable(compared, "cifar100"))(t)
	if want := []string{"A & B", "MaxProbability", "0.800 ± 0.014", "30.0 ± 1.4"}; !slices.Equal(table.Rows[0], want) {
		t.Errorf("the first row is %q, want %q", table.Rows[0], want)
	}
	for row, want := range [][]bool{{true, false}, {false, true}, {false, true}, {true, false}} {
		if !slices.Equal(table.Strong[row][2:], want) {
			t.Errorf("%q has in bold %v, want %v", table.Rows[row], table.Strong[row][2:], want)
		}
	}
	methods[1].Detections[0].AUROC.N = 1 // a single seed
	few := testkit.Must(OutsideTable(compared, "cifar100"))(t)
	alone := testkit.Must(OutsideTable(one, "cifar100"))(t)
	if few.Strong[0][2] || !few.Strong[3][2] || slices.Contains(slices.Concat(alone.Strong...), true) {
		t.Errorf("in bold are %v with a single seed of the first uncertainty and %v of one method", few.Strong, alone.Strong)
	}
	methods[1].Detections[0].AUROC.N = 2
	_, err := OutsideTable(score.Comparison{}, "cifar100")
	testkit.Error(t, "0 methods", err, "0 methods")
	directory := filepath.Join(t.TempDir(), "new")
	files, err := SaveOutside(compared, "cifar100", directory)
	if err != nil || len(files) != 4 {
		t.Fatalf("%v (%v), want four files", files, err)
	}
	for name, want := range map[string]string{
		"outside.csv": "A & B,MaxProbability,AUROC,0.8,0.0141421356", "outside.tex": `A \& B & MaxProbability & \textbf{0.800`,
		"outside.md": "**0.800 ± 0.014**", "outside.html": "those of cifar100",
	} {
		if text, err := os.ReadFile(filepath.Join(directory, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v):\n%s", name, want, err, text)
		}
	}
}
