package nbbnn

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/internal/files"
)

// State is how far a run is.
type State struct {
	Epoch    int     // trained so far
	Epochs   int     // of the whole training
	Trained  bool    // to the last epoch
	Recorded bool    // it has results and no weights, as a record
	Holder   string  // the process that trains or evaluates the run; "" if none does
	Card     *Card   // if it's trained or recorded, else nil
	History  []Epoch // as Run.History; not read, and nil, if there's a card
}

// State looks at the files of a run. If one is damaged, it returns what the others say, too.
func (r *Run) State() (s State, err error) {
	s.Epochs = r.config.Training.Epochs
	// asked first: once the lock is released, all files are final
	if lock := r.path("lock"); r.place == r.directory && files.Held(lock) {
		s.Holder = files.Holder(lock)
	}
	card, trained, err := r.CompleteCard()
	if card.ConfigHash != "" && (trained || s.Holder == "") {
		s.Card, s.Trained, s.Recorded, s.Epoch = &card, trained, !trained, s.Epochs
		return s, err
	}
	history, historyError := r.History()
	s.History, s.Epoch = history, max(0, len(history)-1)
	return s, cmp.Or(err, historyError)
}

// Begun reports whether the training has recorded something.
func (s State) Begun() bool { return s.Card != nil || len(s.History) > 0 }

// String says it in words, for example "being trained, at epoch 7 of 40".
func (s State) String() (text string) {
	at := fmt.Sprintf("at epoch %d of %d", s.Epoch, s.Epochs)
	switch {
	case s.Card == nil && s.Holder != "":
		return "being trained, " + at
	case s.Card == nil && s.Begun():
		return at
	case s.Card == nil:
		return "not begun"
	case s.Card.Evaluation != nil:
		text = "evaluated on " + s.Card.Suite
	default:
		text = "trained"
	}
	if s.Recorded {
		text += ", without weights"
	}
	return text
}
