package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// noteLarger names the largest evaluation that all runs have, too, if the one that was chosen for
// them is a part of it: it may be a quick look that came later.
func noteLarger(a *app, runs []*nbbnn.Run, chosen nbbnn.Evaluation) error {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return err
	}
	larger := slices.DeleteFunc(all, func(e nbbnn.Evaluation) bool {
		return !isLarger(runs, cards, e, chosen) || countEvaluation(runs, cards, e).has < len(runs)
	})
	if len(larger) == 0 {
		return nil
	}
	largest, whose := slices.MaxFunc(larger, compareSize), "all these runs"
	if len(runs) == 1 {
		whose = "this run"
	}
	_, flags, _ := strings.Cut(evaluateCommandLine("RUN", largest), "RUN ")
	fmt.Fprintf(a.err, "note     a larger evaluation of %s is there: %s, %s, %s; `%s` shows it\n",
		whose, largest.Suite, quantity.CountOrAll(largest.Images, "image"), samplesText(runs, largest), flags)
	return nil
}

// isLarger reports whether an evaluation has all corruptions, images and samples of another and
// more of one of them. Only those count that the flags of `nbbnn compare` can name.
func isLarger(runs []*nbbnn.Run, cards []nbbnn.Card, large, small nbbnn.Evaluation) bool {
	if !hasFlags(large) || !hasFlags(small) || large.Seed != small.Seed || !holdsSuite(large.Suite, small.Suite) {
		return false
	}
	images := func(e nbbnn.Evaluation) int { return cmp.Or(e.Images, cards[0].Data.Test) }
	differences := []int{
		images(large) - images(small), mostSamples(runs, large) - mostSamples(runs, small), corruptions(large) - corruptions(small),
	}
	return slices.Min(differences) >= 0 && slices.Max(differences) > 0
}

// hasFlags reports whether flags of `nbbnn compare` can name an evaluation: it has none for fixed
// latents, ready-made images and textures.
func hasFlags(e nbbnn.Evaluation) bool {
	return e == nbbnn.Evaluation{Suite: e.Suite, Samples: e.Samples, Images: e.Images, Seed: e.Seed}
}

// holdsSuite reports whether a suite has all corruptions of another.
func holdsSuite(large, small string) bool {
	all, err := corrupt.SuiteByName(large)
	if err != nil { // of a registered corruption that isn't there now
		return false
	}
	part, err := corrupt.SuiteByName(small)
	return err == nil && !slices.ContainsFunc(part.Corruptions, func(name string) bool { return !slices.Contains(all.Corruptions, name) })
}

// mostSamples returns the most samples that one of the runs takes in an evaluation.
func mostSamples(runs []*nbbnn.Run, evaluation nbbnn.Evaluation) (most int) {
	for _, run := range runs {
		most = max(most, run.FillEvaluation(evaluation).Samples)
	}
	return most
}
