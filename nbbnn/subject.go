package nbbnn

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// subject is what is evaluated: a run, or an ensemble of several whose probabilities are averaged.
type subject struct {
	members   []*Run // in the order of their hashes
	directory string // of the cells
	owner     string // to which their checksums are bound; "" for a run without a card
	name      string // for the progress

	lock func() (unlock func(), err error) // makes the directory if needed
}

// run returns the run that is evaluated alone; nil for an ensemble.
func (s subject) run() *Run {
	if len(s.members) == 1 {
		return s.members[0]
	}
	return nil
}

// evaluator fills an evaluation in and opens the cells' store.
func (s subject) evaluator(ctx context.Context, evaluation Evaluation) (*evaluator, error) {
	e, err := s.plainEvaluator(ctx, evaluation)
	if err == nil {
		e.store, err = score.OpenStore(placeOf(s.directory), s.owner)
	}
	return e, err
}

// check checks an evaluation for each member.
func (s subject) check(evaluation Evaluation) error {
	for _, member := range s.members {
		if err := member.checkEvaluation(member.FillEvaluation(evaluation)); err != nil {
			return err
		}
	}
	return s.samePart(evaluation.Part)
}

// fill fills an evaluation, asked for with the samples of each member, as each member does, so that
// what is the same for all has one name. It counts the samples of all together: the same number of
// each, so that each has the same weight in the average.
func (s subject) fill(evaluation Evaluation) (Evaluation, error) {
	filled := s.members[0].FillEvaluation(evaluation)
	for _, member := range s.members {
		own := member.FillEvaluation(evaluation)
		if own.Samples != filled.Samples {
			return filled, fmt.Errorf("nbbnn: run %s takes %s and run %s %d: average runs that take the same number",
				member.directory, quantity.Count(own.Samples, "sample"), s.members[0].directory, filled.Samples)
		}
		filled.Epoch, filled.Latents = max(filled.Epoch, own.Epoch), cmp.Or(filled.Latents, own.Latents)
		filled.LatentScale = cmp.Or(filled.LatentScale, own.LatentScale)
	}
	filled.Samples *= len(s.members)
	return filled, nil
}

// untrained returns the error of a member without weights of the last epoch.
func (s subject) untrained() error {
	for _, member := range s.members {
		if !member.Complete() {
			return member.untrained()
		}
	}
	return nil
}

// samePart checks that a part of the training images is the same images, with the same labels, for
// all members.
func (s subject) samePart(part Part) error {
	if part.isTest() {
		return nil
	}
	first := s.members[0]
	for _, member := range s.members[1:] {
		have, want := member.config.Data, first.config.Data
		if have.Train != want.Train || have.Validation != want.Validation || have.LabelNoise != want.LabelNoise || have.NoiseForm != want.NoiseForm {
			return fmt.Errorf("nbbnn: part %q of run %s is other images or labels than of run %s: choose runs with equal train, validation, label_noise and noise_form",
				part, member.directory, first.directory)
		}
	}
	return nil
}
