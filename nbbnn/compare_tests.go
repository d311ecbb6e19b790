package nbbnn

import (
	"github.com/nbbnn/workbench/nbbnn/score"
)

// CompareTests groups runs that differ only in their seed into methods, as Compare does, once for
// each of several sets of test images: by their names as Evaluation.Test takes them, "" for the
// runs' own. The methods and their runs are the same for all sets. Where a run lacks the evaluation
// of a set under corruption, only the clean images of all sets are compared; a run that lacks
// these, too, is an *UnevaluatedError.
func CompareTests(runs []*Run, evaluation Evaluation, sets ...string) ([]score.Comparison, error) {
	all, clean := make([][]score.Run, len(sets)), false
	for i, set := range sets {
		scored, err := scoredRuns(runs, func(run *Run) (score.Cells, error) {
			cells, err := cellsOn(run, evaluation, set)
			clean = clean || len(cells) == 1
			return cells, err
		})
		if err != nil {
			return nil, err
		}
		all[i] = scored
	}
	var compared []score.Comparison
	for _, scored := range all {
		for k := range scored {
			if clean {
				scored[k].Cells = scored[k].Cells[:1]
			}
		}
		c, err := score.Compare(score.Clean, scored...)
		if err != nil {
			return nil, err
		}
		compared = append(compared, c)
	}
	return compared, nil
}

// cellsOn returns a run's cells of a set of test images: all of the evaluation, the clean one
// first, or only that.
func cellsOn(r *Run, evaluation Evaluation, set string) (score.Cells, error) {
	evaluation.Test = set
	if cells, err := r.Cells(evaluation); err == nil {
		return cells, nil
	}
	evaluation.Part = CleanPart
	return r.Cells(evaluation)
}
