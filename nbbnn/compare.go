package nbbnn

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// UnevaluatedError reports that a run lacks cells of an evaluation.
type UnevaluatedError struct {
	Run        string     // its directory
	Evaluation Evaluation // filled
	Missing    int        // cells that are still to be computed
	Total      int        // cells of the evaluation
}

// Error names the run, the evaluation and how many cells are missing.
func (e *UnevaluatedError) Error() string {
	return fmt.Sprintf("nbbnn: run %s misses %d of %d cells of %s with %d samples: call Run.Evaluate first",
		e.Run, e.Missing, e.Total, e.Evaluation.label(), e.Evaluation.Samples)
}

// Compare groups runs that differ only in their seed into methods, in the order of their first
// runs. Every run must have all cells of the evaluation; suite may be that of the evaluation or a
// smaller one, and "" means that of the evaluation. The settings of a method are its Config,
// filled, with seed 0. Runs of one method whose data sets have another content are refused.
func Compare(runs []*Run, evaluation Evaluation, suite string) (score.Comparison, error) {
	scored := make([]score.Run, len(runs))
	first := map[Config]*Run{} // by method
	for i, run := range runs {
		cells, err := run.Cells(evaluation)
		if err != nil {
			return score.Comparison{}, err
		}
		settings := run.config
		settings.Seed = 0
		if first[settings] == nil {
			first[settings] = run
		}
		if err := sameContent(first[settings], run); err != nil {
			return score.Comparison{}, err
		}
		scored[i] = score.Run{Name: filepath.Base(run.directory), Settings: settings, Seed: run.config.Seed, Cells: cells}
	}
	return score.Compare(cmp.Or(suite, evaluation.WithDefaults().Suite), scored...)
}

// sameContent refuses two runs whose data sets have one name and another content.
func sameContent(first, run *Run) error {
	a, err := first.Card()
	if err != nil {
		return err
	}
	b, err := run.Card()
	if err != nil {
		return err
	}
	if a.Data.Hash != b.Data.Hash {
		return fmt.Errorf("nbbnn: run %s was trained on %s with the hash %.12s, run %s with %.12s: compare runs on the same images",
			run.directory, b.Data.Name, b.Data.Hash, first.directory, a.Data.Hash)
	}
	return nil
}
