package paper

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

// The words on the runs of benchmark-2 are what their cells and those of benchmark say.
func TestFurtherMethodsRemarks(t *testing.T) {
	const folder = "../docs/results/benchmark"
	const noisy, ensemble, dropout = "ens post hoc", "ens MAP", "MC dropout"
	ordinary := []string{noisy, ensemble, dropout, "fixed noise", "post hoc", "cSG-HMC", "SWAG", "node-BNN", "MAP"}
	further := func(column string) []float64 {
		levels := levelsOfCells(t, filepath.Join(folder+"-2", cardsFolder, "asam-seed1.cells.csv"), column)
		return levels[:]
	}
	below := func(column, method string, levels ...int) {
		t.Helper()
		other := meanOfCells(t, folder, method, column)
		for _, level := range levels {
			checkBelow(t, fmt.Sprintf("%s of ASAM beside %s at level %d", column, method, level), further(column)[level:level+1], other[level:level+1])
		}
	}
	for _, column := range []string{"nll", "nll_t"} {
		for _, method := range ordinary {
			below(column, method, 1, 2)
		}
		for _, method := range except(ordinary, dropout) {
			below(column, method, 3, 4, 5)
		}
		for _, method := range except(ordinary, ensemble) {
			below(column, method, 0)
		}
		among := meanOfCells(t, folder, dropout, column)
		checkBelow(t, column+" of MC dropout", among[3:], further(column)[3:])
		clean := meanOfCells(t, folder, ensemble, column)
		checkBelow(t, column+" of the ensemble on clean images", clean[:1], further(column)[:1])
	}
	for _, method := range ordinary {
		below("error", method, 2, 3)
	}
	checkBesideMAP(t, folder, further)
	card := furtherCard(t, folder+"-2", "asam-seed1")
	if card.Config.Method.Rho != 0.5 {
		t.Errorf("ASAM moved by %g, want 0.5", card.Config.Method.Rho)
	}
	chain := furtherCard(t, folder+"-2", "csg-hmc-seed1").Config.Training
	if got := fmt.Sprintf("%.3f %.3f", chain.LearningRate, chain.Momentum); got != "0.200 0.100" {
		t.Errorf("cSG-HMC was trained with rate and momentum %s, want 0.2 and 0.1", got)
	}
}

// checkBesideMAP compares the words on ASAM and MAP of the same seed.
func checkBesideMAP(t *testing.T, folder string, further func(column string) []float64) {
	t.Helper()
	twin := runsOfCells(t, folder, "MAP", "nll")[0]
	checkBelow(t, "NLL of ASAM beside MAP of its seed", further("nll"), twin[:])
	got := fmt.Sprintf("%.3f %.3f %.3f %.3f", further("nll")[0], twin[0], further("nll")[5], twin[5])
	if want := "0.248 0.254 1.488 1.987"; got != want {
		t.Errorf("the NLLs of ASAM and MAP on clean images and at level 5 are %s, want %s", got, want)
	}
	errors := runsOfCells(t, folder, "MAP", "error")[0]
	checkBelow(t, "error of ASAM beside MAP of its seed", further("error")[1:], errors[1:])
	closeTo(t, "errors of ASAM on clean images", further("error")[0], errors[0], 1e-12)
	own, other := furtherCard(t, folder+"-2", "asam-seed1").Evaluation.Levels.ECE, furtherCard(t, folder, "map-seed1").Evaluation.Levels.ECE
	checkBelow(t, "ECE of ASAM beside MAP of its seed", own[1:], other[1:])
	checkBelow(t, "ECE of MAP on clean images", other[:1], own[:1])
}

// furtherCard reads a committed card.
func furtherCard(t *testing.T, folder, name string) (card nbbnn.Card) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, filepath.Join(folder, cardsFolder, name+".json")), &card); err != nil {
		t.Fatal(err)
	}
	return card
}
