package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// latestEvaluation is the one that the first card with an evaluation tells of. If its run takes
// fewer samples than it is asked for, as MAP does, it has the samples of the others.
func latestEvaluation(runs []*nbbnn.Run) (nbbnn.Evaluation, error) {
	var first *nbbnn.Run
	var latest nbbnn.Evaluation
	for _, run := range runs {
		card, err := run.Card()
		switch {
		case err != nil:
			return latest, err
		case card.Evaluation == nil:
		case first == nil:
			first, latest = run, card.Evaluation.Evaluation
		case card.Evaluation.Samples > latest.Samples && sameFor(first, card.Evaluation.Evaluation, latest):
			latest = card.Evaluation.Evaluation
		}
	}
	if first == nil {
		directory := runs[0].Directory()
		return latest, fmt.Errorf("nbbnn: run %s isn't evaluated: `nbbnn evaluate %s` does it", directory, quote(directory))
	}
	return latest, nil
}

// sameFor reports whether two evaluations are the same one for a run.
func sameFor(run *nbbnn.Run, one, other nbbnn.Evaluation) bool {
	return run.FillEvaluation(one) == run.FillEvaluation(other)
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
