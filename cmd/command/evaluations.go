package command

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// usualEvaluation chooses among the evaluations on the cards of runs, whatever the order of the
// runs: the one that the most runs have, then the largest. A run that takes fewer samples than it
// is asked for, as MAP does, has the samples of the others. With a suite it chooses among the plain
// evaluations on that one, of whatever samples, images and seed; without, those with a corruption
// that this program doesn't register come last. Tests of other data sets are none of them.
func usualEvaluation(runs []*nbbnn.Run, suite string) (nbbnn.Evaluation, error) {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return nbbnn.Evaluation{}, err
	}
	all = slices.DeleteFunc(all, func(e nbbnn.Evaluation) bool { return e.Test != "" })
	if suite != "" {
		all = slices.DeleteFunc(all, func(e nbbnn.Evaluation) bool {
			return e != nbbnn.Evaluation{Suite: suite, Samples: e.Samples, Images: e.Images,
				Seed: e.Seed, First: e.First}
		})
	}
	if len(all) == 0 {
		if _, _, err := runs[0].CleanTest(0); err != nil {
			return nbbnn.Evaluation{}, err
		}
		return nbbnn.Evaluation{}, &nbbnn.UnevaluatedError{Run: runs[0].Directory(),
			Evaluation: nbbnn.Evaluation{Suite: suite}.WithDefaults()}
	}
	has := map[nbbnn.Evaluation]int{}
	for _, evaluation := range all {
		for i, run := range runs {
			if run.OnCard(cards[i], evaluation) != nil {
				has[evaluation]++
			}
		}
	}
	chosen := slices.MaxFunc(all, func(a, b nbbnn.Evaluation) int {
		return cmp.Or(
			cmp.Compare(min(corruptions(a), 1), min(corruptions(b), 1)),
			cmp.Compare(has[a], has[b]), compareSize(a, b),
		)
	})
	return withUsualSamples(runs, cards, chosen), nil
}

// withUsualSamples returns an evaluation with the default number of samples if all its runs take
// their default number, as MAP's one. The others are to have the default.
func withUsualSamples(runs []*nbbnn.Run, cards []nbbnn.Card,
	evaluation nbbnn.Evaluation) nbbnn.Evaluation {
	usual := evaluation
	usual.Samples = 0
	for i, run := range runs {
		if run.OnCard(cards[i], evaluation) != nil &&
			run.FillEvaluation(usual) != run.FillEvaluation(evaluation) {
			return evaluation
		}
	}
	return usual
}

// evaluationsOf returns the cards of runs, and each evaluation on them once.
func evaluationsOf(runs []*nbbnn.Run) (cards []nbbnn.Card, all []nbbnn.Evaluation, err error) {
	cards = make([]nbbnn.Card, len(runs))
	for i, run := range runs {
		if cards[i], err = run.Card(); err != nil {
			return nil, nil, err
		}
		for _, on := range cards[i].Evaluations() {
			all = quantity.AddNew(all, on.Evaluation)
		}
	}
	return cards, all, nil
}

// evaluationsWithRuns lists the evaluations on the cards of runs, the most samples first, with the
// runs that have each. A run that has one evaluation under two names is listed with the first.
func evaluationsWithRuns(runs []*nbbnn.Run) (all []nbbnn.Evaluation,
	of map[nbbnn.Evaluation][]*nbbnn.Run, err error) {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(all, func(x, y nbbnn.Evaluation) int { return y.Samples - x.Samples })
	of = map[nbbnn.Evaluation][]*nbbnn.Run{}
	listed := map[*nbbnn.CardEvaluation]bool{}
	for _, evaluation := range all {
		for i, run := range runs {
			if on := run.OnCard(cards[i], evaluation); on != nil && !listed[on] {
				listed[on], of[evaluation] = true, append(of[evaluation], run)
			}
		}
	}
	return slices.DeleteFunc(all, func(e nbbnn.Evaluation) bool { return len(of[e]) == 0 }), of, nil
}

// compareSize orders evaluations by their images, samples and corruptions, and equal sizes by
// everything else.
func compareSize(a, b nbbnn.Evaluation) int {
	return cmp.Or(
		cmp.Compare(uint(a.Images-1), uint(b.Images-1)), // 0 means all
		cmp.Compare(a.Samples, b.Samples), cmp.Compare(corruptions(a), corruptions(b)),
		cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)),
	)
}

// corruptions counts the corruptions of an evaluation's suite.
func corruptions(evaluation nbbnn.Evaluation) int {
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil { // of a registered corruption that isn't there now
		return 0
	}
	return len(suite.Corruptions)
}
