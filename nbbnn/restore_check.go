package nbbnn

import (
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// A part of a record looks sound: each line has its own checksum. So the card says what must be
// there. It doesn't say it of bins, which some committed records lack, of registered metrics
// and of tests on images from outside.

// checkEpochs compares the end of a record's history with the card. Fixed noise ends with the state
// before training, and imported weights have no history.
func checkEpochs(record Record, card Card, history []Epoch) error {
	last := len(history) - 1
	if card.Training == nil || last >= card.Training.Epoch {
		return nil
	}
	if last < 0 {
		return fmt.Errorf("nbbnn: the card %s lists %s, and the record has no train.jsonl: put the file next to it that was saved with it",
			record.path("card.json"), quantity.Count(card.Training.Epoch, "epoch"))
	}
	return fmt.Errorf("nbbnn: %s ends with epoch %d, the card %s with epoch %d: %s",
		record.path("train.jsonl"), last, record.path("card.json"), card.Training.Epoch, takeSaved)
}

// checkEvaluations checks that a record has the cells of every evaluation on its card.
func checkEvaluations(record Record, card Card, store *score.Store) error {
	for _, on := range card.Evaluations() {
		suite, err := corrupt.SuiteByName(on.Suite)
		if err != nil || !sameFunctions(on.Notes, on.notes()) {
			continue // of corruptions that another program registers: only that one knows its cells
		}
		key := on.Evaluation.key()
		if err := checkCells(record, store, key, score.Conditions(suite)); err != nil {
			return fmt.Errorf("nbbnn: the card %s lists an evaluation on %s with %s, %s and seed %d, %w: %s",
				record.path("card.json"), on.Suite, quantity.Count(key.Samples, "sample"), quantity.CountOrAll(key.Subset, "image"), key.Seed, err, takeSaved)
		}
	}
	return nil
}

// checkCells checks that all cells of an evaluation are there, and the bins of all or of none.
func checkCells(record Record, store *score.Store, key score.Key, conditions []score.Condition) error {
	var missing, binless []score.Condition
	for _, condition := range conditions {
		cell, found := store.FindRecord(key, condition)
		switch {
		case !found:
			missing = append(missing, condition)
		case !(score.Cells{cell}).Binned():
			binless = append(binless, condition)
		}
	}
	_, hasCells := record["cells.csv"]
	_, hasBins := record["bins.csv"]
	switch {
	case !hasCells:
		return fmt.Errorf("and the record has no cells.csv, of %d cells", len(conditions))
	case len(missing) > 0:
		return fmt.Errorf("and %s lacks %d of its %d cells, first %s %d",
			record.path("cells.csv"), len(missing), len(conditions), missing[0].Corruption, missing[0].Severity)
	case hasBins && len(binless) > 0 && len(binless) < len(conditions):
		return fmt.Errorf("and %s lacks the bins of %d of its %d cells, first %s %d",
			record.path("bins.csv"), len(binless), len(conditions), binless[0].Corruption, binless[0].Severity)
	}
	return nil
}

// checkEnsemble checks that the record of an ensemble has an evaluation with all its cells. No card
// lists its evaluations, and one of several may have been stopped before it was saved.
func checkEnsemble(record Record, store *score.Store) (err error) {
	keys := store.Keys()
	for _, key := range keys {
		if err = checkCells(record, store, key, conditionsOf(key)); err == nil {
			return nil
		}
	}
	if err == nil {
		return fmt.Errorf("nbbnn: the record of the ensemble %s has no cells: put the file .cells.csv next to it that was saved with it",
			record.path("ensemble.json"))
	}
	return fmt.Errorf("nbbnn: the ensemble %s has no complete evaluation: that on %s is the last, %w: %s",
		record.path("ensemble.json"), keys[len(keys)-1].Suite, err, takeSaved)
}

// conditionsOf returns the conditions of an evaluation by the label of its cells: those of its
// suite, or the clean images alone for a part, or for a suite that another program registers.
func conditionsOf(key score.Key) []score.Condition {
	if suite, err := corrupt.SuiteByName(suiteOfLabel(key.Suite)); err == nil {
		return score.Conditions(suite)
	}
	return []score.Condition{{Corruption: score.Clean}}
}
