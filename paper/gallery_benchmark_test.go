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
	withAugMix, noisyAugMix             = "MAP + AugMix", "post hoc + AugMix"
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
	all := append([]string{withAugMix, noisyAugMix}, withoutAugMix...)
	checkMethodsAreNamed(t, folder, all)
	for _, column := range []string{"nll", "nll_t", "error"} {
		checkBest(t, folder, column, withAugMix, withoutAugMix, 1, 2, 3, 4, 5)
		checkBest(t, folder, column, ensembleMAP, all, 0)
	}
	for _, column := range []string{"nll", "nll_t"} {
		checkBest(t, folder, column, "ASAM", withoutAugMix, 1, 2)
		checkBest(t, folder, column, "ASAM", except(withoutAugMix, dropout), 3, 4, 5)
		checkBest(t, folder, column, "ASAM", except(withoutAugMix, ensembleMAP), 0)
		checkBest(t, folder, column, dropout, withoutAugMix, 3, 4, 5)
		checkBest(t, folder, column, "SWAG", []string{"cSG-HMC", "node-BNN", "MAP"}, 1)
	}
	checkBest(t, folder, "error", "ASAM", withoutAugMix, 2, 3)
	checkBest(t, folder, "error", ensembleMAP, withoutAugMix, 1)
	checkBest(t, folder, "error", dropout, withoutAugMix, 4, 5)
	checkBest(t, folder, "ece", dropout, withoutAugMix, 4, 5)
	for _, column := range []string{"nll", "error"} {
		checkWorst(t, folder, column, dropout, all, 0)
		checkBest(t, folder, column, dropout, []string{"MAP", "node-BNN"}, 2, 3, 4, 5)
	}
	checkBest(t, folder, "nll", ensembleNoisy, except(withoutAugMix, "ASAM"), 2)
	checkBest(t, folder, "nll", ensembleNoisy, except(withoutAugMix, "ASAM", dropout), 3, 4, 5)
	checkSamplers(t, folder)
	checkDAMP(t, folder)
	checkNodeBNN(t, folder, all)
	checkAugMix(t, folder)
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
	checkBest(t, folder, "error", "SWAG", []string{"cSG-HMC"}, 0, 1, 2, 3, 4, 5)
	checkBest(t, folder, "nll", "SWAG", []string{"cSG-HMC", "DAMP", "node-BNN", "MAP"}, 1)
	checkBest(t, folder, "nll_t", "SWAG", []string{"cSG-HMC", "node-BNN", "MAP"}, 1, 2, 3, 4, 5)
}

// checkDAMP compares the words on DAMP: beside each seed of MAP, and with a temperature for each.
func checkDAMP(t *testing.T, folder string) {
	t.Helper()
	damp := runsOfCells(t, folder, "DAMP", "nll")[0]
	for seed, levels := range runsOfCells(t, folder, "MAP", "nll") {
		checkBelow(t, fmt.Sprintf("NLL of DAMP beside seed %d of MAP", seed+1), damp[2:], levels[2:])
		checkBelow(t, fmt.Sprintf("clean NLL of seed %d of MAP", seed+1), levels[:1], damp[:1])
	}
	checkBest(t, folder, "error", "DAMP", []string{"MAP"}, 1, 2, 3, 4, 5)
	checkBest(t, folder, "nll_t", "DAMP", except(withoutAugMix, dropout, "ASAM"), 5)
}

// checkNodeBNN compares the words on the node-BNN.
func checkNodeBNN(t *testing.T, folder string, all []string) {
	t.Helper()
	checkBest(t, folder, "nll", "node-BNN", []string{"MAP"}, 2, 3, 4, 5)
	checkBest(t, folder, "error", "MAP", []string{"node-BNN"}, 0, 1, 2, 3, 4, 5)
	ahead := []string{withAugMix, noisyAugMix, dropout, "ASAM", ensembleNoisy}
	checkBest(t, folder, "nll", "node-BNN", except(all, ahead...), 5)
	checkWorst(t, folder, "nll", "node-BNN", ahead, 5)
	checkWorst(t, folder, "nll", "node-BNN", []string{"ASAM"}, 0, 1, 2, 3, 4, 5)
	checkWorst(t, folder, "error", "node-BNN", all, 1, 2, 3, 4, 5)
	for seed, levels := range runsOfCells(t, folder, "MAP", "nll") {
		node := runsOfCells(t, folder, "node-BNN", "nll")[0]
		checkBelow(t, fmt.Sprintf("NLL of the node-BNN beside seed %d of MAP", seed+1), node[3:], levels[3:])
	}
}

// checkAugMix compares the words on the network that was trained with AugMix, and on its noise.
func checkAugMix(t *testing.T, folder string) {
	t.Helper()
	checkBest(t, folder, "nll", noisyAugMix, []string{withAugMix}, 3, 4, 5)
	checkBest(t, folder, "nll", withAugMix, []string{noisyAugMix}, 0, 1, 2)
	checkBest(t, folder, "nll_t", noisyAugMix, []string{withAugMix}, 5)
	checkBest(t, folder, "nll_t", withAugMix, []string{noisyAugMix}, 0, 1, 2, 3, 4)
	checkBest(t, folder, "error", withAugMix, []string{noisyAugMix}, 1, 2, 3)
	checkBest(t, folder, "error", noisyAugMix, []string{withAugMix}, 0)
	checkBest(t, folder, "ece", noisyAugMix, []string{withAugMix}, 1, 2, 3, 4, 5)
	checkBest(t, folder, "ece", noisyAugMix, append(withoutAugMix, withAugMix), 1, 2, 3, 4, 5)
	for column, want := range map[string]string{"nll": "0.254 0.283 0.283", "error": "0.089 0.105 0.103"} {
		runs := append(runsOfCells(t, folder, "MAP", column), runsOfCells(t, folder, withAugMix, column)...)
		if got := fmt.Sprintf("%.3f %.3f %.3f", runs[0][0], runs[1][0], runs[2][0]); got != want {
			t.Errorf("clean %s of two seeds of MAP and of AugMix is %s, want %s", column, got, want)
		}
	}
}

// checkSharpness compares the words on ASAM beside MAP of its seed and beside two networks.
func checkSharpness(t *testing.T, folder string) {
	t.Helper()
	of := func(method, column string) [6]float64 { return runsOfCells(t, folder, method, column)[0] }
	asam, twin := of("ASAM", "nll"), of("MAP", "nll")
	checkBelow(t, "NLL of ASAM beside MAP of its seed", asam[:], twin[:])
	if got, want := fmt.Sprintf("%.3f %.3f %.3f %.3f", asam[0], twin[0], asam[5], twin[5]), "0.248 0.254 1.488 1.987"; got != want {
		t.Errorf("the NLLs of ASAM and MAP on clean images and at level 5 are %s, want %s", got, want)
	}
	errors, others := of("ASAM", "error"), of("MAP", "error")
	checkBelow(t, "error of ASAM beside MAP of its seed", errors[1:], others[1:])
	closeTo(t, "errors of ASAM on clean images", errors[0], others[0], 1e-12)
	calibration, other := of("ASAM", "ece"), of("MAP", "ece")
	checkBelow(t, "mean ECE of ASAM beside MAP of its seed", calibration[1:], other[1:])
	checkBelow(t, "ECE of MAP on clean images", other[:1], calibration[:1])
	checkBest(t, folder, "nll", "ASAM", []string{ensembleMAP}, 1, 2, 3, 4, 5)
	for _, column := range []string{"nll", "error"} {
		checkBest(t, folder, column, "ASAM", []string{"SAM"}, 0, 1, 2, 3, 4, 5)
		sam, twin := of("SAM", column), of("MAP", column)
		checkBelow(t, column+" of SAM beside MAP of its seed", sam[1:], twin[1:])
		checkBelow(t, column+" of MAP on clean images", twin[:1], sam[:1])
	}
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
	for _, method := range []string{"ens MAP", "node-BNN"} {
		if text := fmt.Sprintf("%.3f", corrupted(method)); text != "1.000" {
			t.Errorf("the NLL of %s over all levels of corruption is %s, want 1.000", method, text)
		}
	}
	for _, method := range []string{"SWAG", "cSG-HMC"} {
		if nll := corrupted(method); nll >= corrupted("ens MAP") {
			t.Errorf("the NLL of %s over all levels of corruption is %g, want less than that of two networks", method, nll)
		}
	}
}
