package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// CompareTests groups runs that differ only in their seed into methods, as Compare does, once for
// each of several sets of test images: by their names as Evaluation.Test takes them, "" for the
// runs' own. The methods and their runs are the same for all sets. Where a run lacks the evaluation
// of a set under corruption, only the clean images of all sets are compared; a run that lacks
// these, too, is an *UnevaluatedError. Each comparison has the notes that its tests left on the
// cards.
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
	for i, scored := range all {
		for k := range scored {
			if clean {
				scored[k].Cells = scored[k].Cells[:1]
			}
		}
		c, err := score.Compare(score.Clean, scored...)
		if err != nil {
			return nil, err
		}
		c.Notes = testNotes(runs, sets[i])
		compared = append(compared, c)
	}
	return compared, nil
}

// testNotes lists the notes on a set of test images, each once; those that aren't of all runs name
// theirs.
func testNotes(runs []*Run, set string) (notes []string) {
	of := map[string][]string{} // names of runs
	public, _ := Evaluation{Test: set}.public(context.Background())
	for _, run := range runs {
		card, _ := run.Card() // it has been read
		for _, note := range card.TestNotes[public.Test] {
			notes = quantity.AddNew(notes, note)
			of[note] = append(of[note], card.Run)
		}
	}
	for i, note := range notes {
		if len(of[note]) < len(runs) {
			notes[i] += " (" + quantity.List(of[note], 3) + ")"
		}
	}
	return notes
}

// cellsOn returns a run's cells of a set of test images: all of the evaluation, the clean one
// first, or only that. All of the run's own images may be asked for by their number or by 0.
func cellsOn(r *Run, evaluation Evaluation, set string) (score.Cells, error) {
	evaluation.Test = set
	if cells, err := r.Cells(evaluation); err == nil {
		return cells, nil
	}
	evaluation.Part = CleanPart
	cells, err := r.Cells(evaluation)
	card, _ := r.Card() // the cells' error tells
	own := card.Data.Test
	if asked := evaluation.Images; err != nil && set == "" && own > 0 && (asked == 0 ||
		asked == own) {
		evaluation.Images = own - asked
		if all, without := r.Cells(evaluation); without == nil {
			return all, nil
		}
	}
	return cells, err
}
