package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// usualEvaluation chooses among the evaluations on the cards of runs, whatever the order of the
// runs: the one that the most runs have, then the latest of the most runs, then the largest. A run
// that takes fewer samples than it is asked for, as MAP does, has the samples of the others.
func usualEvaluation(runs []*nbbnn.Run) (nbbnn.Evaluation, error) {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return nbbnn.Evaluation{}, err
	}
	if len(all) == 0 {
		directory := runs[0].Directory()
		return nbbnn.Evaluation{}, fmt.Errorf("nbbnn: run %s isn't evaluated: `nbbnn evaluate %s` does it", directory, quote(directory))
	}
	counts := map[nbbnn.Evaluation]evaluationCount{}
	for _, evaluation := range all {
		counts[evaluation] = countEvaluation(runs, cards, evaluation)
	}
	chosen := slices.MaxFunc(all, func(a, b nbbnn.Evaluation) int {
		return cmp.Or(
			cmp.Compare(counts[a].has, counts[b].has), cmp.Compare(counts[a].latest, counts[b].latest), compareSize(a, b),
		)
	})
	return withUsualSamples(runs, cards, chosen), nil
}

// withUsualSamples returns an evaluation with the default number of samples if all runs that have
// it take as many as they did then, such as the one of MAP. The others are to have the default.
func withUsualSamples(runs []*nbbnn.Run, cards []nbbnn.Card, evaluation nbbnn.Evaluation) nbbnn.Evaluation {
	usual := evaluation
	usual.Samples = 0
	for i, run := range runs {
		if run.OnCard(cards[i], evaluation) != nil && run.FillEvaluation(usual) != run.FillEvaluation(evaluation) {
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
		for _, evaluation := range onCard(cards[i]) {
			if !slices.Contains(all, evaluation) {
				all = append(all, evaluation)
			}
		}
	}
	return cards, all, nil
}

// onCard lists the evaluations on a card.
func onCard(card nbbnn.Card) (all []nbbnn.Evaluation) {
	for _, on := range card.Evaluations() {
		all = append(all, on.Evaluation)
	}
	return all
}

// evaluationCount is how many runs have an evaluation, and of how many it is the latest.
type evaluationCount struct{ has, latest int }

// countEvaluation counts the runs, of which cards tell, that have an evaluation.
func countEvaluation(runs []*nbbnn.Run, cards []nbbnn.Card, evaluation nbbnn.Evaluation) (count evaluationCount) {
	for i, run := range runs {
		if found := run.OnCard(cards[i], evaluation); found != nil {
			count.has++
			if found == cards[i].Evaluation {
				count.latest++
			}
		}
	}
	return count
}

// compareSize orders evaluations by their images, samples and corruptions, and those of one size
// by everything else.
func compareSize(a, b nbbnn.Evaluation) int {
	return cmp.Or(
		cmp.Compare(uint(a.Images-1), uint(b.Images-1)), // 0 means all
		cmp.Compare(a.Samples, b.Samples), cmp.Compare(corruptions(a), corruptions(b)),
		cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)),
	)
}

// corruptions counts those of an evaluation's suite.
func corruptions(evaluation nbbnn.Evaluation) int {
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil { // of a registered corruption that isn't there now
		return 0
	}
	return len(suite.Corruptions)
}

// needSuite refuses flags that say which evaluation of a suite is meant when no suite is given.
func needSuite(given *pflag.FlagSet) error {
	for _, name := range []string{"samples", "images", "evaluation-seed"} {
		if given.Changed(name) {
			return commandline.Usage(fmt.Errorf("nbbnn compare: --%s goes with --suite, which isn't given: name the suite, too, or leave --%s out", name, name))
		}
	}
	return nil
}
