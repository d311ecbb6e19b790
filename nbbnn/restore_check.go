package nbbnn

import (
	"errors"
	"fmt"
	"strings"

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
	if card.Training == nil || len(history) > card.Training.Epoch {
		return nil
	}
	return fmt.Errorf("nbbnn: the card %s lists %s, and %s has %d: %s", record.path("card.json"),
		quantity.Count(card.Training.Epoch, "epoch"), record.path("train.jsonl"), max(0, len(history)-1), takeSaved)
}

// checkEvaluations checks that a record has the cells of every evaluation on its card.
func checkEvaluations(record Record, card Card, store *score.Store) error {
	for _, on := range card.Evaluations() {
		suite, err := corrupt.SuiteByName(on.Suite)
		if err != nil || !sameFunctions(on.Notes, on.notes()) {
			continue // of corruptions that another program registers: only that one knows its cells
		}
		if err := checkCells(record, store, on.Evaluation.key(), score.Conditions(suite)); err != nil {
			return fmt.Errorf("nbbnn: the card %s lists an evaluation that isn't complete: %w: %s", record.path("card.json"), err, takeSaved)
		}
	}
	return nil
}

// checkCells checks that all cells of an evaluation are there, and the bins of all or of none.
func checkCells(record Record, store *score.Store, key score.Key, conditions []score.Condition) error {
	missing, binless := 0, 0
	for _, condition := range conditions {
		cell, found := store.FindRecord(key, condition)
		if !found {
			missing++
		} else if !(score.Cells{cell}).Binned() {
			binless++
		}
	}
	of := fmt.Sprintf("of %d cells on %s with %s, %s and seed %d", len(conditions), key.Suite,
		quantity.Count(key.Samples, "sample"), quantity.CountOrAll(key.Subset, "image"), key.Seed)
	switch {
	case missing > 0:
		return fmt.Errorf("%s lacks %d %s", record.path("cells.csv"), missing, of)
	case binless > 0 && binless < len(conditions):
		return fmt.Errorf("%s lacks the bins of %d %s", record.path("bins.csv"), binless, of)
	}
	return nil
}

// checkEnsemble checks that the record of an ensemble has an evaluation with all its cells. No card
// lists its evaluations, and one of several may have been stopped before it was saved.
func checkEnsemble(record Record, store *score.Store) error {
	lacking := errors.New(record.path("cells.csv") + " has no cells")
	for _, key := range store.Keys() {
		if lacking = checkCells(record, store, key, conditionsOf(key)); lacking == nil {
			return nil
		}
	}
	return fmt.Errorf("nbbnn: the ensemble %s has no complete evaluation: %w: %s", record.path("ensemble.json"), lacking, takeSaved)
}

// conditionsOf returns the conditions of an evaluation by the label of its cells: those of its
// suite, or the clean images alone for a part, or for a suite that another program registers.
func conditionsOf(key score.Key) []score.Condition {
	label := key.Suite
	if end := strings.IndexAny(label, "#@+/"); end >= 0 {
		label = label[:end]
	}
	suite, err := corrupt.SuiteByName(label)
	if err != nil {
		return []score.Condition{{Corruption: score.Clean}}
	}
	return score.Conditions(suite)
}
