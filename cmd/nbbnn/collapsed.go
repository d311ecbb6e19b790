package main

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
)

// guesses reports whether a run has learnt nothing: its training NLL, which it returns with that of
// guessing, is about as large. A run of an unknown number of classes may be healthy.
func guesses(run *nbbnn.Run) (nll, guessing float64, is bool) {
	const share = 0.95 // of the NLL of guessing
	card, err := run.Card()
	classes := card.Classes()
	if err != nil || card.Training == nil || classes == 0 {
		return 0, 0, false
	}
	nll, guessing = card.Training.NLL, math.Log(float64(classes))
	return nll, guessing, !(nll < share*guessing)
}

// noteCollapsed says which of compared runs have learnt nothing, and so make scales of pictures
// useless.
func noteCollapsed(a *app, runs []*nbbnn.Run) {
	for _, run := range runs {
		if nll, guessing, is := guesses(run); is {
			fmt.Fprintf(a.err, "note     run %s collapsed: its training NLL %.2f is that of guessing (%.2f); leave it out, or train longer or with a lower gamma\n",
				run.Config().RunName(), nll, guessing)
		}
	}
}

// noteGuesses says that a trained run, or the parent of one, has learnt nothing.
func noteGuesses(a *app, what string, run *nbbnn.Run) {
	if nll, guessing, is := guesses(run); is {
		fmt.Fprintf(a.err, "note     %s has learnt nothing: its training NLL %.2f is that of guessing (%.2f); train longer, or with a lower --learning-rate or --gamma\n",
			what, nll, guessing)
	}
}
