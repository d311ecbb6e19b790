package nbbnn

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
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

// find returns what the card tells of an evaluation, nil if it doesn't.
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

// setLatest puts an evaluation on the card, and the one that was there among the earlier ones. A
// test of another data set is never the latest: what a card tells first is of the run's own.
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

// onCard returns the run whose card tells of the evaluation: of the test images, with the weights
// of the end; nil if none does.
func (e *evaluator) onCard() *Run {
	if run := e.run(); run != nil && run.directory == e.directory &&
		e.evaluation.Part == TestPart && e.evaluation.Epoch == 0 {
		return run
	}
	return nil
}

// record makes a complete evaluation the latest on the run's card and adds this call's seconds to
// earlier ones.
func (e *evaluator) record(notes []string, cells score.Cells, seconds float64) error {
	r := e.onCard()
	if r == nil {
		return nil
	}
	card, err := r.Card()
	if err != nil {
		return err
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

// UsualEvaluation chooses among the evaluations on the cards of runs, whatever the order of the
// runs: the one that the most runs have, then the latest of the most runs, then the largest. A run
// that takes fewer samples than it is asked for, as MAP does, has the samples of the others. With a
// suite it chooses among the plain evaluations on that one, of whatever samples, images and seed;
// without, those with a corruption that this program doesn't register come last. Tests of other
// data sets are none of them.
func UsualEvaluation(runs []*Run, suite string) (Evaluation, error) {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return Evaluation{}, err
	}
	all = slices.DeleteFunc(all, func(e Evaluation) bool { return e.Test != "" })
	if suite != "" {
		all = slices.DeleteFunc(all, func(e Evaluation) bool {
			return e != Evaluation{Suite: suite, Samples: e.Samples, Images: e.Images, Seed: e.Seed,
				First: e.First}
		})
	}
	if len(all) == 0 {
		return Evaluation{}, &UnevaluatedError{Run: runs[0].directory,
			Evaluation: Evaluation{Suite: suite}.WithDefaults()}
	}
	has, latest := map[Evaluation]int{}, map[Evaluation]int{}
	for _, evaluation := range all {
		for i, run := range runs {
			if found := run.OnCard(cards[i], evaluation); found != nil {
				has[evaluation]++
				if found == cards[i].Evaluation {
					latest[evaluation]++
				}
			}
		}
	}
	chosen := slices.MaxFunc(all, func(a, b Evaluation) int {
		return cmp.Or(
			cmp.Compare(min(corruptions(a), 1), min(corruptions(b), 1)),
			cmp.Compare(has[a], has[b]), cmp.Compare(latest[a], latest[b]), compareSize(a, b),
		)
	})
	return withUsualSamples(runs, cards, chosen), nil
}

// withUsualSamples returns an evaluation with the default number of samples if all runs that have
// it take as many by default, as MAP's one. The others are to have the default.
func withUsualSamples(runs []*Run, cards []Card, evaluation Evaluation) Evaluation {
	usual := evaluation
	usual.Samples = 0
	for i, run := range runs {
		if run.OnCard(cards[i], evaluation) != nil &&
			run.FillEvaluation(usual) != run.FillEvaluation(evaluation) {
			return evaluation
		}
	}
	return usual
}

// evaluationsOf returns the cards of runs, and each evaluation on them once.
func evaluationsOf(runs []*Run) (cards []Card, all []Evaluation, err error) {
	cards = make([]Card, len(runs))
	for i, run := range runs {
		if cards[i], err = run.Card(); err != nil {
			return nil, nil, err
		}
		for _, on := range cards[i].Evaluations() {
			if !slices.Contains(all, on.Evaluation) {
				all = append(all, on.Evaluation)
			}
		}
	}
	return cards, all, nil
}

// EvaluationsOf lists the evaluations on the cards of runs, the most samples first, with the runs
// that have each. A run that has one evaluation under two names is listed with the first.
func EvaluationsOf(runs []*Run) (all []Evaluation, of map[Evaluation][]*Run, err error) {
	cards, all, err := evaluationsOf(runs)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(all, func(x, y Evaluation) int { return y.Samples - x.Samples })
	of = map[Evaluation][]*Run{}
	listed := map[*CardEvaluation]bool{}
	for _, evaluation := range all {
		for i, run := range runs {
			if on := run.OnCard(cards[i], evaluation); on != nil && !listed[on] {
				listed[on], of[evaluation] = true, append(of[evaluation], run)
			}
		}
	}
	return slices.DeleteFunc(all, func(e Evaluation) bool { return len(of[e]) == 0 }), of, nil
}

// compareSize orders evaluations by their images, samples and corruptions, and equal sizes by
// everything else.
func compareSize(a, b Evaluation) int {
	return cmp.Or(
		cmp.Compare(uint(a.Images-1), uint(b.Images-1)), // 0 means all
		cmp.Compare(a.Samples, b.Samples), cmp.Compare(corruptions(a), corruptions(b)),
		cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)),
	)
}

// corruptions counts the corruptions of an evaluation's suite.
func corruptions(evaluation Evaluation) int {
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil { // of a registered corruption that isn't there now
		return 0
	}
	return len(suite.Corruptions)
}
