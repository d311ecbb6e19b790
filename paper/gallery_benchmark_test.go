package paper

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

// Methods of the benchmark as its page names them.
const (
	withAugMix, noisyAugMix, nodeAugMix = "MAP + AugMix", "post hoc + AugMix", "node-BNN + AugMix"
	ensembleMAP, ensembleNoisy, dropout = "ens MAP", "ens post hoc", "MC dropout"
)

// withoutAugMix are the methods of the benchmark whose training images have no AugMix.
var withoutAugMix = []string{
	"MAP", ensembleMAP, "SAM", "ASAM", "DAMP", dropout, "SWAG", "cSG-HMC", "fixed noise", "post hoc", ensembleNoisy, "node-BNN",
}

// checkMethodRemarks compares the words on methods next to each other with the cells. Those on
// noise that is put on afterwards are compared in TestPosthocSentences.
func checkMethodRemarks(t *testing.T, folder string) {
	t.Helper()
	all := append([]string{withAugMix, noisyAugMix, nodeAugMix}, withoutAugMix...)
	checkMethodsAreNamed(t, folder, all)
	for _, column := range []string{"nll", "nll_t", "error"} {
		checkBest(t, folder, column, withAugMix, withoutAugMix, 1, 2, 3, 4, 5)
		checkBest(t, folder, column, ensembleMAP, all, 0)
	}
	for _, column := range []string{"nll", "nll_t", "error"} {
		checkBest(t, folder, column, dropout, withoutAugMix, 3, 4, 5)
	}
	checkBest(t, folder, "ece", dropout, withoutAugMix, 4, 5)
	for _, column := range []string{"nll", "error"} {
		checkWorst(t, folder, column, dropout, withoutAugMix, 0)
		checkBest(t, folder, column, dropout, []string{"MAP", "node-BNN"}, 2, 3, 4, 5)
	}
	checkBest(t, folder, "error", ensembleMAP, withoutAugMix, 1)
	checkBest(t, folder, "nll", ensembleNoisy, except(withoutAugMix, "ASAM"), 2)
	checkBest(t, folder, "nll", ensembleNoisy, except(withoutAugMix, dropout), 3, 4, 5)
	checkSamplers(t, folder)
	checkDAMP(t, folder)
	checkNodeBNN(t, folder, all)
	checkAugMix(t, folder)
	checkNodeAugMix(t, folder)
	checkSharpness(t, folder)
	checkSettings(t, folder)
	checkTrainingErrors(t, folder)
	checkCorrupted(t, folder)
	checkCosts(t, folder)
}

// checkMethodsAreNamed requires that the lists of the tests are the methods of the page.
func checkMethodsAreNamed(t *testing.T, folder string, all []string) {
	t.Helper()
	named := map[string]bool{}
	for row := range comparisonRows(string(readFile(t, filepath.Join(folder, tablesFile)))) {
		if named[row.method] = true; !slices.Contains(all, row.method) {
			t.Errorf("the page has the method %q, which no test knows", row.method)
		}
	}
	if len(named) != len(all) {
		t.Errorf("the page has the methods %v, the tests %q", named, all)
	}
}

// checkSamplers compares the words on SWAG and cSG-HMC.
func checkSamplers(t *testing.T, folder string) {
	t.Helper()
	checkBest(t, folder, "nll", "cSG-HMC", []string{"SWAG", "DAMP", "MAP"}, 2, 3, 4, 5)
	checkBest(t, folder, "error", "SWAG", []string{"cSG-HMC"}, 0)
	checkBest(t, folder, "nll", "SWAG", []string{"cSG-HMC", "DAMP", "node-BNN", "MAP"}, 1)
	for seed, swag := range runsOfCells(t, folder, "SWAG", "nll") {
		checkBelow(t, "NLL of SWAG beside MAP of its seed", swag[1:], runsOfCells(t, folder, "MAP", "nll")[seed][1:])
	}
}

// checkDAMP compares the words on DAMP: each seed beside each of MAP, and with a temperature for each.
func checkDAMP(t *testing.T, folder string) {
	t.Helper()
	checkSeeds(t, folder, "nll", "DAMP", "MAP", 3, 4, 5)
	checkSeeds(t, folder, "error", "DAMP", "MAP", 5)
	checkSeeds(t, folder, "nll", "MAP", "DAMP", 0)
	ahead := []string{dropout, ensembleNoisy}
	checkBest(t, folder, "nll_t", "DAMP", except(withoutAugMix, ahead...), 5)
	checkWorst(t, folder, "nll_t", "DAMP", ahead, 5)
}

// checkSeeds requires that every seed of a method has a lower column than every seed of another.
func checkSeeds(t *testing.T, folder, column, method, other string, levels ...int) {
	t.Helper()
	for seed, low := range runsOfCells(t, folder, method, column) {
		for beside, high := range runsOfCells(t, folder, other, column) {
			for _, level := range levels {
				name := fmt.Sprintf("%s at level %d of seed %d of %s beside seed %d of %s", column, level, seed+1, method, beside+1, other)
				checkBelow(t, name, low[level:level+1], high[level:level+1])
			}
		}
	}
}

// checkNodeBNN compares the words on the node-BNN.
func checkNodeBNN(t *testing.T, folder string, all []string) {
	t.Helper()
	checkBest(t, folder, "nll", "node-BNN", []string{"MAP"}, 2, 3, 4, 5)
	checkBest(t, folder, "error", "MAP", []string{"node-BNN"}, 0, 1, 2, 3, 4, 5)
	checkSeeds(t, folder, "nll", "node-BNN", "MAP", 3, 4, 5)
	ahead := []string{withAugMix, noisyAugMix, nodeAugMix, dropout, ensembleNoisy}
	checkBest(t, folder, "nll", "node-BNN", except(all, ahead...), 5)
	checkWorst(t, folder, "nll", "node-BNN", ahead, 5)
	checkWorst(t, folder, "nll", "node-BNN", []string{"ASAM"}, 0, 1, 2, 3, 4)
	checkWorst(t, folder, "error", "node-BNN", all, 1, 2, 3, 4)
}

// checkBest requires that a method has the lowest mean of a column at some levels, in the digits of
// the page.
func checkBest(t *testing.T, folder, column, method string, among []string, levels ...int) {
	t.Helper()
	of := meanOfCells(t, folder, method, column)
	for _, other := range among {
		values := meanOfCells(t, folder, other, column)
		for _, level := range levels {
			if other != method && math.Round(1000*values[level]) <= math.Round(1000*of[level]) {
				t.Errorf("%s at level %d: %s has %.4f and %s %.4f: want the first to be the best", column, level, method, of[level], other, values[level])
			}
		}
	}
}

// checkWorst requires that a method has the highest mean of a column at some levels.
func checkWorst(t *testing.T, folder, column, method string, among []string, levels ...int) {
	t.Helper()
	for _, other := range except(among, method) {
		checkBest(t, folder, column, other, []string{method}, levels...)
	}
}

// checkSettings requires the settings that the words give.
func checkSettings(t *testing.T, folder string) {
	t.Helper()
	settings := map[string]string{}
	for _, name := range []string{"asam", "sam", "csg-hmc", "damp", "mc-dropout"} {
		var card nbbnn.Card
		if err := json.Unmarshal(readFile(t, filepath.Join(folder, cardsFolder, name+"-seed1.json")), &card); err != nil {
			t.Fatal(err)
		}
		method, training := card.Config.Method, card.Config.Training
		settings[name] = fmt.Sprintf("%g %g %g %.3f %.3f", method.Rho, method.Std, method.Dropout, training.LearningRate, training.Momentum)
	}
	for name, want := range map[string]string{
		"asam": "0.5 0 0 0.040 0.900", "sam": "0.05 0 0 0.040 0.900", "csg-hmc": "0 0 0 0.200 0.100", "damp": "0 0.2 0 0.040 0.900", "mc-dropout": "0 0 0.1 0.040 0.900",
	} {
		if settings[name] != want {
			t.Errorf("%s was trained with %s, want %s", name, settings[name], want)
		}
	}
}

// checkTrainingErrors requires the order of the training errors in the words on node noise.
func checkTrainingErrors(t *testing.T, folder string) {
	t.Helper()
	var errors []float64
	for _, name := range []string{"map", "node-bnn", "mc-dropout"} {
		var card struct{ Training struct{ Error float64 } }
		if err := json.Unmarshal(readFile(t, filepath.Join(folder, cardsFolder, name+"-seed1.json")), &card); err != nil {
			t.Fatal(err)
		}
		errors = append(errors, card.Training.Error)
	}
	if !slices.IsSorted(errors) {
		t.Errorf("training errors of MAP, the node-BNN and MC dropout are %v, want them to rise", errors)
	}
	closeTo(t, "ratio of the training errors", errors[1]/errors[0], 2, 0.25)
}

// except returns the names of a list but some.
func except(names []string, excluded ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(excluded, name) })
}

// checkCorrupted compares the words on the NLL over all levels of corruption.
func checkCorrupted(t *testing.T, folder string) {
	t.Helper()
	corrupted := func(method string) (mean float64) {
		levels := meanOfCells(t, folder, method, "nll")
		for _, value := range levels[1:] {
			mean += value / 5
		}
		return mean
	}
	for method, want := range map[string]string{"ens MAP": "1.000", "node-BNN": "1.004"} {
		if text := fmt.Sprintf("%.3f", corrupted(method)); text != want {
			t.Errorf("the NLL of %s over all levels of corruption is %s, want %s", method, text, want)
		}
	}
	if chain, two, swag := corrupted("cSG-HMC"), corrupted("ens MAP"), corrupted("SWAG"); chain >= two || two >= swag {
		t.Errorf("over all levels of corruption the NLL of cSG-HMC is %g, of two networks %g, of SWAG %g: want them to rise", chain, two, swag)
	}
}
