package nbbnn

import (
	"cmp"
	"context"
	"errors"
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

	begin func() error // makes the directory
}

// run returns the run that is evaluated alone; nil for an ensemble.
func (s subject) run() *Run {
	if len(s.members) == 1 {
		return s.members[0]
	}
	return nil
}

// evaluate computes the cells of an evaluation that aren't there, and saves the predictions if the
// options say so. Without weights there are the recorded cells alone.
func (s subject) evaluate(ctx context.Context, evaluation Evaluation, options EvaluateOptions) (score.Cells, error) {
	if err := cmp.Or(s.check(evaluation), s.samePart(evaluation.Part)); err != nil {
		return nil, err
	}
	if err := s.untrained(); err != nil {
		if options.Save == "" {
			cells, lacking := s.cells(evaluation)
			if _, unevaluated := errors.AsType[*UnevaluatedError](lacking); !unevaluated {
				return cells, lacking
			}
		}
		return nil, err
	}
	e, err := s.evaluator(ctx, evaluation, s.begin)
	if err != nil {
		return nil, err
	}
	if e.saver, err = newSaver(e, options); err != nil {
		return nil, err
	}
	cells, done, err := e.done()
	if err != nil {
		return nil, err
	}
	if run := s.run(); done && run != nil {
		done, err = recall(run, e.evaluation, cells)
	}
	if done || err != nil {
		return cells, err
	}
	e.progress, e.keeps = options.Progress, true
	return e.complete(ctx)
}

// cells returns the cells of a complete evaluation and computes nothing. Those that can't be
// computed again may lack their bins.
func (s subject) cells(evaluation Evaluation) (score.Cells, error) {
	e, err := s.evaluator(context.Background(), evaluation, func() error { return nil })
	if err != nil {
		return nil, err
	}
	cells, missing := e.have()
	if missing == 0 {
		return cells, nil
	}
	if s.untrained() != nil {
		if recorded, lacking := e.recorded(); lacking == 0 {
			return recorded, nil
		}
		if run := s.run(); run != nil {
			untrained := run.untrained()
			if cells := run.path("cells.csv"); untrained.Recorded && !exists(cells) {
				untrained.Missing = cells
			}
			return nil, untrained
		}
	}
	return nil, &UnevaluatedError{s.directory, e.evaluation, missing, missing + len(cells)}
}

// evaluator fills an evaluation in and opens the cells' store, after begin has made the directory.
func (s subject) evaluator(ctx context.Context, evaluation Evaluation, begin func() error) (*evaluator, error) {
	e, err := s.plainEvaluator(ctx, evaluation)
	if err == nil {
		err = begin()
	}
	if err != nil {
		return nil, err
	}
	e.store, err = score.OpenStore(placeOf(s.directory), s.owner)
	return e, err
}

// check checks an evaluation for each member.
func (s subject) check(evaluation Evaluation) error {
	for _, member := range s.members {
		if err := member.checkEvaluation(member.FillEvaluation(evaluation)); err != nil {
			return err
		}
	}
	return nil
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
