package nbbnn

import (
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// CardEvaluation is an evaluation of the test images on a card, with the weights at the end.
type CardEvaluation struct {
	Evaluation
	Levels      score.Levels `json:"levels"`
	WallSeconds float64      `json:"wall_seconds"`    // of all its cells, over all calls that computed some
	Notes       []string     `json:"notes,omitempty"` // on its images; a card of an older version has none here
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

// isLatest says whether the card tells of an evaluation as the latest.
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

// recordEvaluation makes an evaluation that is complete the latest on the card. What computed a part of it took so many seconds.
func recordEvaluation(r *Run, evaluation Evaluation, notes []string, levels score.Levels, wallSeconds float64) error {
	card, err := r.Card()
	if err != nil {
		return err
	}
	evaluation = evaluation.WithDefaults().public()
	if before := card.find(evaluation); before != nil {
		wallSeconds += before.WallSeconds
	}
	card.setLatest(CardEvaluation{evaluation, levels, wallSeconds, notes})
	card.Notes = append(configNotes(r.config), notes...)
	return writeCard(r, card)
}

// recall makes an evaluation, all of whose cells are there, the latest on the card again. It's not possible, and done is false,
// where only a look at ready-made images says what is to be noted of them. A run that another process works on, which will have
// the last word, or that stands where nothing can be locked or written, keeps its card: the cells are there to read all the same.
func recall(r *Run, evaluation Evaluation, cells score.Cells) (done bool, err error) {
	if !evaluation.onCard() {
		return true, nil
	}
	card, err := r.Card()
	if err != nil || card.isLatest(evaluation.public()) {
		return err == nil, err
	}
	notes := evaluation.notes()
	if evaluation.Corrupted != "" {
		before := card.find(evaluation.public())
		if before == nil || len(before.Notes) == 0 {
			return false, nil
		}
		notes = before.Notes
	}
	levels, err := cells.Levels()
	if err != nil {
		return false, err
	}
	if unlock, err := r.lock(); err == nil {
		defer unlock()
		_ = recordEvaluation(r, evaluation, notes, levels, 0)
	}
	return true, nil
}

// recordCells puts the levels of an evaluation of the test set, with the weights of the end, on the run's card.
func recordCells(r *Run, evaluation Evaluation, notes []string, cells score.Cells, seconds float64) error {
	if !evaluation.onCard() {
		return nil
	}
	levels, err := cells.Levels()
	if err != nil {
		return err
	}
	return recordEvaluation(r, evaluation, notes, levels, seconds)
}
