package nbbnn

import "fmt"

// State is the progress of a run.
type State struct {
	Epoch    int     // trained so far
	Epochs   int     // of the whole training
	Begun    bool    // the training has recorded something
	Trained  bool    // to the last epoch
	Recorded bool    // it has results and no weights, as a record
	Holder   string  // the process that trains or evaluates the run; "" if none does
	Card     *Card   // if it's trained or recorded, or nil
	History  []Epoch // as Run.History; not read, and nil, if there's a card
}

// String describes the state, for example "being trained, at epoch 7 of 40".
func (s State) String() (text string) {
	at := fmt.Sprintf("at epoch %d of %d", s.Epoch, s.Epochs)
	switch {
	case s.Card == nil && s.Holder != "":
		return "being trained, " + at
	case s.Card == nil && s.Begun:
		return "stopped, " + at
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
