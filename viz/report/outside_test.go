package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// detecting is a method with two seeds that detects by two uncertainties.
func detecting(name string, area, rate float64) score.OutsideMethod {
	summary := func(mean float64) score.Summary { return score.Summarise([]float64{mean - 0.01, mean + 0.01}) }
	return score.OutsideMethod{Method: score.Method{Name: name}, Detections: []score.DetectionSummary{
		{Uncertainty: score.MaxProbability, AUROC: summary(area), FPR95: summary(rate)},
		{Uncertainty: score.Entropy, AUROC: summary(1 - area), FPR95: summary(1 - rate)},
	}}
}

// The greatest AUROC and the least FPR95 of each uncertainty are in bold, in all formats.
func TestOutsideTable(t *testing.T) {
	methods := score.OutsideMethods{detecting("A & B", 0.8, 0.3), detecting("M32", 0.7, 0.2)}
	table := testkit.Must(OutsideTable(methods, "cifar100"))(t)
	if want := []string{"A & B", "MaxProbability", "0.800 ± 0.014", "30.0 ± 1.4"}; !slices.Equal(table.Rows[0], want) {
		t.Errorf("the first row is %q, want %q", table.Rows[0], want)
	}
	for row, want := range [][]bool{{true, false}, {false, true}, {false, true}, {true, false}} {
		if !slices.Equal(table.Strong[row][2:], want) {
			t.Errorf("%q has in bold %v, want %v", table.Rows[row], table.Strong[row][2:], want)
		}
	}
	methods[1].Detections[0].AUROC.N = 1 // a single seed
	few := testkit.Must(OutsideTable(methods, "cifar100"))(t)
	alone := testkit.Must(OutsideTable(methods[:1], "cifar100"))(t)
	if few.Strong[0][2] || !few.Strong[3][2] || slices.Contains(slices.Concat(alone.Strong...), true) {
		t.Errorf("in bold are %v with a single seed of the first uncertainty and %v of one method", few.Strong, alone.Strong)
	}
	methods[1].Detections[0].AUROC.N = 2
	_, err := OutsideTable(nil, "cifar100")
	testkit.Error(t, "0 methods", err, "0 methods")
	directory := filepath.Join(t.TempDir(), "new")
	files, err := SaveOutside(methods, "cifar100", directory)
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
