package nbbnn

import (
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// CardEvaluation is an evaluation of the test images on a card, with the weights at the end.
type CardEvaluation struct {
	Evaluation
	Levels score.Levels `json:"levels"`
	// of the levels' scaled NLL; 0 if that isn't measured, or cross-fitted
	Temperature float64 `json:"temperature,omitempty"`
	// of all its cells, over all calls that computed some
	WallSeconds float64  `json:"wall_seconds"`
	Notes       []string `json:"notes,omitempty"` // on its images
}

// Evaluations lists the evaluations on the card, the latest first.
func (c Card) Evaluations() (all []CardEvaluation) {
	if c.Evaluation != nil {
		all = append(all, *c.Evaluation)
	}
	return append(all, c.Earlier...)
}

// find returns the card's record of an evaluation, nil if it has none.
func (c Card) find(evaluation Evaluation) *CardEvaluation {
	if c.Evaluation != nil && c.Evaluation.Evaluation == evaluation {
		return c.Evaluation
	}
	at := slices.IndexFunc(c.Earlier, func(e CardEvaluation) bool {
		return e.Evaluation == evaluation
	})
	if at < 0 {
		return nil
	}
	return &c.Earlier[at]
}

// setLatest puts an evaluation first on the card and moves the previous one to the earlier ones. A
// test of another data set never comes first.
func (c *Card) setLatest(latest CardEvaluation) {
	if latest.Test != "" {
		c.Earlier = slices.DeleteFunc(c.Earlier, func(e CardEvaluation) bool {
			return e.Evaluation == latest.Evaluation
		})
		c.Earlier = append(c.Earlier, latest)
		return
	}
	if c.Evaluation != nil {
		c.Earlier = append(c.Earlier, *c.Evaluation)
	}
	c.Earlier = slices.DeleteFunc(c.Earlier, func(e CardEvaluation) bool {
		return e.Evaluation == latest.Evaluation
	})
	c.Evaluation, c.Suite, c.Samples = &latest, latest.Suite, latest.Samples
}

// withCard returns the run whose card is kept with the cells; nil if there is none.
func (e *evaluator) withCard() *Run {
	if run := e.run(); run != nil && run.directory == e.directory {
		return run
	}
	return nil
}

// onCard returns the run whose card has the evaluation, of the test images with the final weights;
// nil if none has.
func (e *evaluator) onCard() *Run {
	if e.evaluation.Part == TestPart && e.evaluation.Epoch == 0 {
		return e.withCard()
	}
	return nil
}

// record makes a complete evaluation the latest on the run's card and adds this call's seconds to
// earlier ones. Notes on another data set's images stay there, whatever is tested on them.
func (e *evaluator) record(notes []string, cells score.Cells, seconds float64) error {
	r := e.withCard()
	if r == nil || e.onCard() == nil && e.testNotes == nil {
		return nil
	}
	card, err := r.Card()
	if err != nil {
		return err
	}
	if e.testNotes != nil {
		if card.TestNotes == nil {
			card.TestNotes = map[string][]string{}
		}
		card.TestNotes[e.public.Test] = e.testNotes
	}
	if e.onCard() == nil {
		return writeCard(r, card)
	}
	latest := CardEvaluation{Evaluation: e.public, WallSeconds: seconds, Notes: notes}
	if latest.Levels, err = cells.Levels(); err != nil {
		return err
	}
	if cells.Scaled() && cells[0].OddTemperature == 0 {
		latest.Temperature = cells[0].Temperature
	}
	if before := card.find(latest.Evaluation); before != nil && slices.Equal(before.Notes, notes) {
		latest.WallSeconds += before.WallSeconds
	}
	card.setLatest(latest)
	if latest.Test != "" {
		notes = nil
		if card.Evaluation != nil {
			notes = card.Evaluation.Notes
		}
	}
	card.Notes = slices.Concat(configNotes(r.config), importNotes(card), notes)
	return writeCard(r, card)
}

// recall makes a complete evaluation the latest on the card again. done is false if the notes on
// its ready-made images are unknown until the images are opened. If another process works on the
// run, or if it can't be locked or written, the card stays as it is, and the cells can still be
// read.
func (e *evaluator) recall(cells score.Cells) (done bool, err error) {
	r := e.onCard()
	if r == nil {
		return true, nil
	}
	card, err := r.Card()
	if err != nil {
		return false, err
	}
	before, notes := card.find(e.public), e.notes()
	if e.evaluation.Test != "" { // how its classes were matched is known once its images are open
		return before != nil, nil
	}
	if e.evaluation.Corrupted != "" {
		if before == nil || len(before.Notes) == 0 {
			return false, nil
		}
		notes = before.Notes
	}
	if before != nil && before == card.Evaluation && slices.Equal(before.Notes, notes) {
		return true, nil
	}
	if unlock, err := r.lock(); err == nil {
		defer unlock()
		_ = e.record(notes, cells, 0)
	}
	return true, nil
}
