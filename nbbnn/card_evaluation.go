package nbbnn

import (
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// CardEvaluation is an evaluation of the test images on a card, with the weights at the end.
type CardEvaluation struct {
	Evaluation
	Levels      score.Levels `json:"levels"`
	Temperature float64      `json:"temperature,omitempty"` // of the levels' scaled NLL; 0 if that isn't measured, or cross-fitted
	WallSeconds float64      `json:"wall_seconds"`          // of all its cells, over all calls that computed some
	Notes       []string     `json:"notes,omitempty"`       // on its images
}

// Evaluations lists the evaluations on the card, the latest first.
func (c Card) Evaluations() (all []CardEvaluation) {
	if c.Evaluation != nil {
		all = append(all, *c.Evaluation)
	}
	return append(all, c.Earlier...)
}

// find returns what the card tells of an evaluation, nil if it doesn't.
func (c Card) find(evaluation Evaluation) *CardEvaluation {
	if c.isLatest(evaluation) {
		return c.Evaluation
	}
	at := slices.IndexFunc(c.Earlier, func(e CardEvaluation) bool { return e.Evaluation == evaluation })
	if at < 0 {
		return nil
	}
	return &c.Earlier[at]
}

// isLatest reports whether an evaluation is the latest on the card.
func (c Card) isLatest(evaluation Evaluation) bool {
	return c.Evaluation != nil && c.Evaluation.Evaluation == evaluation
}

// setLatest puts an evaluation on the card, and the one that was there among the earlier ones.
func (c *Card) setLatest(latest CardEvaluation) {
	c.Earlier = slices.DeleteFunc(c.Earlier, func(e CardEvaluation) bool { return e.Evaluation == latest.Evaluation })
	if c.Evaluation != nil && !c.isLatest(latest.Evaluation) {
		c.Earlier = append(c.Earlier, *c.Evaluation)
	}
	c.Evaluation, c.Suite, c.Samples = &latest, latest.Suite, latest.Samples
}

// record makes a complete evaluation of the test set, with the weights of the end, the latest on the
// run's card. The seconds are those of this call, and are added to those of earlier calls.
func record(r *Run, evaluation Evaluation, notes []string, cells score.Cells, seconds float64) error {
	if !evaluation.onCard() {
		return nil
	}
	card, err := r.Card()
	if err != nil {
		return err
	}
	latest := CardEvaluation{Evaluation: evaluation.WithDefaults().public(), WallSeconds: seconds, Notes: notes}
	if latest.Levels, err = cells.Levels(); err != nil {
		return err
	}
	if cells.Scaled() && cells[0].OddTemperature == 0 {
		latest.Temperature = cells[0].Temperature
	}
	if before := card.find(latest.Evaluation); before != nil && sameFunctions(before.Notes, notes) {
		latest.WallSeconds += before.WallSeconds
	}
	card.setLatest(latest)
	card.Notes = slices.Concat(configNotes(r.config), importNotes(card), notes)
	return writeCard(r, card)
}

// sameFunctions reports whether two evaluations of one name were made with the same functions:
// their notes have the same fingerprints of registered corruptions.
func sameFunctions(before, now []string) bool {
	fingerprints := func(notes []string) (found []string) {
		for _, note := range notes {
			if strings.Contains(note, fingerprintNote) {
				found = append(found, note)
			}
		}
		return found
	}
	return slices.Equal(fingerprints(before), fingerprints(now))
}

// recall makes a complete evaluation the latest on the card again. done is false if the notes on
// its ready-made images are unknown until the images are opened. If another process works on the
// run, or if it can't be locked or written, the card stays as it is, and the cells can still be
// read.
func recall(r *Run, evaluation Evaluation, cells score.Cells) (done bool, err error) {
	if !evaluation.onCard() {
		return true, nil
	}
	card, err := r.Card()
	if err != nil {
		return false, err
	}
	notes := evaluation.notes()
	if card.isLatest(evaluation.public()) && sameFunctions(card.Evaluation.Notes, notes) {
		return true, nil
	}
	if evaluation.Corrupted != "" {
		before := card.find(evaluation.public())
		if before == nil || len(before.Notes) == 0 {
			return false, nil
		}
		notes = before.Notes
	}
	if unlock, err := r.lock(); err == nil {
		defer unlock()
		_ = record(r, evaluation, notes, cells, 0)
	}
	return true, nil
}
