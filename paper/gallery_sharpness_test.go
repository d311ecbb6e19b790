package paper

import (
	"fmt"
	"testing"
)

// checkSharpness compares the words on ASAM and SAM beside MAP of their seeds and beside two networks.
func checkSharpness(t *testing.T, folder string) {
	t.Helper()
	of := func(method, column string) [][6]float64 { return runsOfCells(t, folder, method, column) }
	for seed, asam := range of("ASAM", "nll") {
		checkBelow(t, "NLL of ASAM beside MAP of its seed", asam[:], of("MAP", "nll")[seed][:])
		errors, others := of("ASAM", "error")[seed], of("MAP", "error")[seed]
		checkBelow(t, "error of ASAM beside MAP of its seed", errors[1:], others[1:])
		if errors[0] > others[0]+1e-12 {
			t.Errorf("ASAM makes more errors on clean images than MAP of its seed: %g and %g", errors[0], others[0])
		}
	}
	checkBest(t, folder, "nll", "ASAM", withoutAugMix, 1, 2)
	checkBest(t, folder, "error", "ASAM", withoutAugMix, 2)
	checkBest(t, folder, "nll", "ASAM", []string{ensembleMAP}, 1, 2, 3, 4, 5)
	checkBest(t, folder, "nll_t", "ASAM", []string{ensembleMAP}, 2, 3, 4, 5)
	checkBest(t, folder, "nll_t", ensembleMAP, []string{"ASAM"}, 1)
	checkFirstSeed(t, folder, of("ASAM", "nll"))
	for column, last := range map[string]int{"nll": 5, "error": 3} {
		sam, twin, adaptive := of("SAM", column), of("MAP", column), of("ASAM", column)
		for seed := range sam {
			checkBelow(t, column+" of ASAM next to SAM of its seed", adaptive[seed][1:], sam[seed][1:])
			checkBelow(t, column+" of SAM next to MAP of its seed", sam[seed][1:last+1], twin[seed][1:])
		}
		checkBelow(t, column+" of MAP's first seed on clean images", twin[0][:1], sam[0][:1])
		checkBelow(t, column+" of SAM's second seed on clean images", sam[1][:1], twin[1][:1])
	}
	checkBelow(t, "scaled NLL of MAP next to SAM's second seed", of("MAP", "nll_t")[1][2:], of("SAM", "nll_t")[1][2:])
}

// checkFirstSeed compares the words on what ASAM's first seed says alone: over all levels of
// corruption, MC dropout has a lower NLL and no other method without AugMix has.
func checkFirstSeed(t *testing.T, folder string, seeds [][6]float64) {
	t.Helper()
	if got, want := fmt.Sprintf("%.3f %.3f", seeds[0][5], seeds[1][5]), "1.488 1.652"; got != want {
		t.Errorf("the NLLs of ASAM's seeds at level 5 are %s, want %s", got, want)
	}
	corrupted := func(levels [6]float64) (sum float64) {
		for _, nll := range levels[1:] {
			sum += nll
		}
		return sum
	}
	for _, method := range except(withoutAugMix, "ASAM") {
		if ahead := corrupted(meanOfCells(t, folder, method, "nll")) < corrupted(seeds[0]); ahead != (method == dropout) {
			t.Errorf("whether %s is ahead of ASAM's first seed is %t", method, ahead)
		}
	}
}
