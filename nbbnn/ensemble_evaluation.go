package nbbnn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Evaluate tests the average of the members' probabilities as Run.Evaluate tests one run, with
// evaluation.Samples samples of each member: the cells count the samples of all together. All
// members must be trained. An epoch that is the last one of every member is the end of the
// training, as 0 is.
func (e *Ensemble) Evaluate(ctx context.Context, evaluation Evaluation, progress Progress) (score.Cells, error) {
	return e.EvaluateWith(ctx, evaluation, EvaluateOptions{Progress: progress})
}

// EvaluateWith is Evaluate that can save the predictions.
func (e *Ensemble) EvaluateWith(ctx context.Context, evaluation Evaluation, options EvaluateOptions) (score.Cells, error) {
	if err := e.samePart(evaluation.Part); err != nil {
		return nil, err
	}
	if e.untrained() != nil && options.Save == "" { // restored, perhaps
		cells, err := e.Cells(evaluation)
		if _, unevaluated := errors.AsType[*UnevaluatedError](err); !unevaluated {
			return cells, err
		}
	}
	evaluation, err := e.fillEvaluation(evaluation)
	if err != nil {
		return nil, err
	}
	content, err := e.settle()
	if err != nil {
		return nil, err
	}
	if err := e.write(content); err != nil {
		return nil, err
	}
	each := evaluation.Samples
	evaluation.Samples *= len(e.members)
	v, err := newEvaluator(ctx, e.directory, e.owner, filepath.Base(e.directory), evaluation)
	if err != nil {
		return nil, err
	}
	if v.saver, err = newSaver(ctx, options, v.name, e.members, evaluation); err != nil {
		return nil, err
	}
	cells, done, err := v.done()
	if err != nil {
		return nil, err
	}
	if done {
		return cells, nil
	}
	v.noValidation = e.samePart(ValidationPart) != nil
	v.progress, v.keeps = options.Progress, true
	v.finish = func(score.Cells, float64) error { return nil }
	v.open = func(ctx context.Context) error {
		for _, member := range e.members {
			if err := v.openRun(ctx, member, each); err != nil {
				return err
			}
		}
		return nil
	}
	return v.complete(ctx)
}

// Evaluated reports whether the ensemble has all cells of an evaluation, with as many samples of
// each member.
func (e *Ensemble) Evaluated(evaluation Evaluation) bool {
	_, err := e.Cells(evaluation)
	return err == nil
}

// Cells returns the ensemble's scores in a complete evaluation, with as many samples of each member.
// It computes nothing; an incomplete evaluation is an *UnevaluatedError. Cells of an ensemble that
// Restore made may lack their bins.
func (e *Ensemble) Cells(evaluation Evaluation) (score.Cells, error) {
	evaluation, err := e.filled(evaluation)
	if err != nil {
		return nil, err
	}
	if _, err := e.settle(); err != nil {
		return nil, err
	}
	evaluation.Samples *= len(e.members)
	v, err := newEvaluator(context.Background(), e.directory, e.owner, "", evaluation)
	if err != nil && e.untrained() != nil {
		return nil, files.Cured(err, restoreAgain(e.directory))
	}
	if err != nil {
		return nil, err
	}
	cells, missing := v.have()
	if missing > 0 && e.untrained() != nil {
		cells, missing = v.recorded()
	}
	if missing > 0 {
		return nil, &UnevaluatedError{e.directory, v.evaluation, missing, missing + len(cells)}
	}
	return cells, nil
}

// untrained returns the error of a member without weights of the last epoch.
func (e *Ensemble) untrained() error {
	for _, member := range e.members {
		if !member.Complete() {
			return member.untrained()
		}
	}
	return nil
}

// samePart checks that a part of the training images is the same images, with the same labels, for
// all members.
func (e *Ensemble) samePart(part Part) error {
	if part.isTest() {
		return nil
	}
	first := e.members[0]
	for _, member := range e.members[1:] {
		have, want := member.config.Data, first.config.Data
		if have.Train != want.Train || have.Validation != want.Validation || have.LabelNoise != want.LabelNoise || have.NoiseForm != want.NoiseForm {
			return fmt.Errorf("nbbnn: part %q of run %s is other images or labels than of run %s: choose runs with equal train, validation, label_noise and noise_form",
				part, member.directory, first.directory)
		}
	}
	return nil
}

// fillEvaluation is filled for members that must have their weights.
func (e *Ensemble) fillEvaluation(evaluation Evaluation) (Evaluation, error) {
	filled, err := e.filled(evaluation)
	return filled, check.First(err, e.untrained())
}

// filled fills an evaluation as each member does, so that what is the same for all has one name. It
// takes the same number of samples of each, so that each has the same weight in the average.
func (e *Ensemble) filled(evaluation Evaluation) (Evaluation, error) {
	filled := e.members[0].FillEvaluation(evaluation)
	for _, member := range e.members {
		own := member.FillEvaluation(evaluation)
		if err := member.checkEvaluation(own); err != nil {
			return filled, err
		}
		if own.Samples != filled.Samples {
			return filled, fmt.Errorf("nbbnn: run %s takes %s and run %s %d: average runs that take the same number",
				member.directory, quantity.Count(own.Samples, "sample"), e.members[0].directory, filled.Samples)
		}
		filled.Epoch, filled.Latents = max(filled.Epoch, own.Epoch), cmp.Or(filled.Latents, own.Latents)
	}
	return filled, nil
}
