package nbbnn

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Cells returns the run's scores in a complete evaluation. It computes nothing; an incomplete evaluation is
// an *UnevaluatedError.
func (r *Run) Cells(evaluation Evaluation) (score.Cells, error) {
	e, err := newEvaluator(r.directory, "", r.fillEvaluation(evaluation))
	if err != nil {
		return nil, err
	}
	cells, missing := e.have()
	if missing > 0 && !r.Complete() {
		return nil, r.untrained()
	}
	if missing > 0 {
		return nil, &UnevaluatedError{r.directory, e.evaluation, missing, missing + len(cells)}
	}
	return cells, nil
}

// UnevaluatedError reports that a run lacks cells of an evaluation.
type UnevaluatedError struct {
	Run        string     // its directory
	Evaluation Evaluation // filled
	Missing    int        // cells that are still to be computed
	Total      int        // cells of the evaluation
}

func (e *UnevaluatedError) Error() string {
	return fmt.Sprintf("nbbnn: run %s misses %d of %d cells of %s with %d samples: call Run.Evaluate first",
		e.Run, e.Missing, e.Total, e.Evaluation.label(), e.Evaluation.Samples)
}

// Compare groups runs that differ only in their seed into methods, in the order of their first runs. Every
// run must have all cells of the evaluation; suite may be that of the evaluation or a smaller one, and ""
// means that of the evaluation. The settings of a method are its Config, filled, with seed 0.
func Compare(runs []*Run, evaluation Evaluation, suite string) (score.Comparison, error) {
	scored := make([]score.Run, len(runs))
	for i, run := range runs {
		cells, err := run.Cells(evaluation)
		if err != nil {
			return score.Comparison{}, err
		}
		settings := run.config
		settings.Seed = 0
		scored[i] = score.Run{Name: filepath.Base(run.directory), Settings: settings, Seed: run.config.Seed, Cells: cells}
	}
	return score.Compare(cmp.Or(suite, evaluation.WithDefaults().Suite), scored...)
}
