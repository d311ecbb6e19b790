package paper

import (
	"fmt"
	"testing"
)

// checkNodeAugMix compares the words on the node-BNN that was trained with AugMix.
func checkNodeAugMix(t *testing.T, folder string) {
	t.Helper()
	for _, column := range []string{"nll", "error"} {
		checkBest(t, folder, column, nodeAugMix, []string{"node-BNN"}, 1, 2, 3, 4, 5)
		checkBest(t, folder, column, "node-BNN", []string{nodeAugMix}, 0)
	}
	for _, column := range []string{"nll", "nll_t"} {
		checkBest(t, folder, column, nodeAugMix, []string{withAugMix}, 5)
		checkBest(t, folder, column, withAugMix, []string{nodeAugMix}, 0, 1, 2, 3, 4)
	}
	checkBest(t, folder, "error", withAugMix, []string{nodeAugMix}, 0, 1, 2, 3, 4, 5)
	checkBest(t, folder, "ece", nodeAugMix, []string{withAugMix}, 3, 4, 5)
	checkBest(t, folder, "ece", withAugMix, []string{nodeAugMix}, 0, 1, 2)
	checkBest(t, folder, "ece", nodeAugMix, append([]string{withAugMix, noisyAugMix}, withoutAugMix...), 5)
	for _, column := range []string{"nll", "nll_t", "error"} {
		checkBest(t, folder, column, noisyAugMix, []string{nodeAugMix}, 0, 1, 2, 3, 4, 5)
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
	checkBest(t, folder, "ece", noisyAugMix, append([]string{withAugMix, nodeAugMix}, withoutAugMix...), 1, 2, 3, 4)
	for column, want := range map[string]string{"nll": "0.254 0.283 0.283", "error": "0.089 0.105 0.103"} {
		runs := append(runsOfCells(t, folder, "MAP", column), runsOfCells(t, folder, withAugMix, column)...)
		if got := fmt.Sprintf("%.3f %.3f %.3f", runs[0][0], runs[1][0], runs[2][0]); got != want {
			t.Errorf("clean %s of two seeds of MAP and of AugMix is %s, want %s", column, got, want)
		}
	}
}
