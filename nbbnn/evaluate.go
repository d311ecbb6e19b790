package nbbnn

import (
	"context"
	"errors"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Evaluate is EvaluateWith that reports its progress and saves no predictions.
func (r *Run) Evaluate(ctx context.Context, evaluation Evaluation, progress Progress) (score.Cells, error) {
	return r.EvaluateWith(ctx, evaluation, EvaluateOptions{Progress: progress})
}

// EvaluateWith tests a trained run on clean and corrupted images: level 0, and every corruption of
// the suite at five severities; or on another part of the images than the test set, uncorrupted.
// Cells that the run has aren't computed again. Each new one is saved at once, so a cancelled
// evaluation, whose error wraps ErrStopped, continues where it stopped. The card shows the
// evaluation of the test images, with the weights at the end, that was asked for last. Of a run that
// Restore made, which has no weights, there are the recorded cells alone.
func (r *Run) EvaluateWith(ctx context.Context, evaluation Evaluation, options EvaluateOptions) (score.Cells, error) {
	evaluation = r.FillEvaluation(evaluation)
	if err := r.checkEvaluation(evaluation); err != nil {
		return nil, err
	}
	if !r.Complete() {
		if options.Save == "" {
			return r.Cells(evaluation)
		}
		return nil, r.untrained()
	}
	e, err := r.evaluator(ctx, evaluation)
	if err != nil {
		return nil, err
	}
	if e.saver, err = newSaver(ctx, options, e.name, []*Run{r}, evaluation); err != nil {
		return nil, err
	}
	cells, done, err := e.done()
	if err != nil {
		return nil, err
	}
	e.fill = options.FillMetrics
	if done && !e.canFill(r, cells) {
		if done, err := recall(r, e.evaluation, cells); done || err != nil {
			return cells, err
		}
	}
	e.progress, e.keeps = options.Progress, true
	e.open = func(ctx context.Context) error { return e.openRun(ctx, r, evaluation.Samples) }
	e.finish = func(cells score.Cells, seconds float64) error {
		return recordCells(r, e.evaluation, e.notes(), cells, seconds)
	}
	return e.complete(ctx)
}

// FillEvaluation returns an evaluation with its defaults, as the run makes it. If one set of
// weights predicts without latents, all samples are the same and one is enough. Each stored
// snapshot is one sample. The last epoch becomes 0, which means the end of the training.
func (r *Run) FillEvaluation(evaluation Evaluation) Evaluation {
	evaluation = evaluation.WithDefaults()
	if r.checkpoints().isLast(evaluation.Epoch) {
		evaluation.Epoch = 0
	}
	if r.config.Posterior.Mode == Deterministic {
		evaluation.Samples = r.config.Method.Samples(evaluation.Samples)
		if r.config.Method.Samples(2) == 1 {
			evaluation.Latents = ""
		}
		if evaluation.Epoch > 0 {
			evaluation.Samples = r.config.Method.SamplesAfter(evaluation.Epoch, r.config.Settings(), evaluation.Samples)
		}
	}
	return evaluation
}

// checkEvaluation checks a filled evaluation of the run.
func (r *Run) checkEvaluation(evaluation Evaluation) error {
	return check.First(
		evaluation.Validate(r.config.Posterior.Components),
		r.config.Method.CheckLatents(evaluation.Latents),
	)
}

// evaluator prepares a filled evaluation of the run.
func (r *Run) evaluator(ctx context.Context, evaluation Evaluation) (*evaluator, error) {
	owner, err := r.owner()
	if err != nil {
		return nil, err
	}
	e, err := newEvaluator(ctx, r.directory, owner, r.config.RunName(), evaluation)
	return e, r.cured(err)
}

// owner names what the run's results were measured with; "" for a run without a card.
func (r *Run) owner() (string, error) {
	card, err := r.Card()
	if _, untrained := errors.AsType[*UntrainedError](err); untrained {
		return "", nil
	}
	return r.ownerOn(card), err
}

// ownerOn is owner by the run's card, or Card{}.
func (r *Run) ownerOn(card Card) string {
	if card.ConfigHash == "" {
		return ""
	}
	return score.Owner(r.Hash(), card.StateSHA256)
}
