package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Evaluate is EvaluateWith that reports its progress and saves no predictions.
func (r *Run) Evaluate(ctx context.Context, evaluation Evaluation, progress Progress) (score.Cells, error) {
	return r.EvaluateWith(ctx, evaluation, EvaluateOptions{Progress: progress})
}

// EvaluateWith tests a trained run on clean and corrupted images: level 0, and every corruption of the suite at
// five severities; or on another part of the images than the test set, uncorrupted. Cells that the run has
// aren't computed again. Each new one is saved at once, so a cancelled evaluation, whose error wraps ErrStopped,
// continues where it stopped. The card shows the evaluation of the test images, with the weights at the end,
// that was asked for last.
func (r *Run) EvaluateWith(ctx context.Context, evaluation Evaluation, options EvaluateOptions) (score.Cells, error) {
	evaluation = r.fillEvaluation(evaluation)
	if err := evaluation.Validate(r.config.Posterior.Components); err != nil {
		return nil, err
	}
	if !r.Complete() {
		return nil, r.untrained()
	}
	e, err := newEvaluator(r.directory, r.config.RunName(), evaluation)
	if err != nil {
		return nil, err
	}
	if e.saver, err = newSaver(options, e.name, []*Run{r}, evaluation); err != nil {
		return nil, err
	}
	cells, done, err := e.done()
	if err != nil {
		return nil, err
	}
	if done {
		if done, err := r.recall(e.evaluation, cells); done || err != nil {
			return cells, err
		}
	}
	e.progress = options.Progress
	e.open = func(ctx context.Context) error { return e.openRun(ctx, r, evaluation.Samples) }
	e.finish = func(cells score.Cells, seconds float64) error {
		notes, err := e.notes(ctx)
		if err != nil {
			return err
		}
		return r.recordCells(e.evaluation, notes, cells, seconds)
	}
	return e.complete(ctx)
}

// recordCells puts the levels of an evaluation of the test set, with the weights of the end, on the run's card.
func (r *Run) recordCells(evaluation Evaluation, notes []string, cells score.Cells, seconds float64) error {
	if !evaluation.onCard() {
		return nil
	}
	levels, err := cells.Levels()
	if err != nil {
		return err
	}
	return r.recordEvaluation(evaluation, notes, levels, seconds)
}

// fillEvaluation fills an evaluation's defaults; without latents all samples are the same, so one is enough. The last epoch is
// what 0 stands for.
func (r *Run) fillEvaluation(evaluation Evaluation) Evaluation {
	evaluation = evaluation.WithDefaults()
	if r.config.Posterior.Mode == Deterministic {
		evaluation.Samples, evaluation.Latents = 1, ""
	}
	if r.checkpoints().isLast(evaluation.Epoch) {
		evaluation.Epoch = 0
	}
	return evaluation
}

// Evaluated says whether the run has all cells of an evaluation.
func (r *Run) Evaluated(evaluation Evaluation) bool {
	if !r.Complete() {
		return false
	}
	e, err := newEvaluator(r.directory, "", r.fillEvaluation(evaluation))
	if err != nil {
		return false
	}
	_, missing := e.have()
	return missing == 0
}

// openRun adds a run's trained network to those that the evaluator asks, and takes the images from its data set.
func (e *evaluator) openRun(ctx context.Context, r *Run, samples int) error {
	if _, err := r.checkpoints().of(e.evaluation.Epoch); err != nil {
		return err
	}
	data, err := openParts(ctx, r.config.Data)
	if err != nil {
		return err
	}
	card, err := r.Card()
	if err != nil {
		return err
	}
	if err := sameData(r.directory, card.Data.Hash, data.Dataset); err != nil {
		return err
	}
	if e.images, err = data.images(e.evaluation.Part); err != nil {
		return err
	}
	e.indices = data.indices(e.evaluation.Part)
	if err := e.takeFirst(e.evaluation.Images); err != nil {
		return err
	}
	if e.readyMade, err = openReadyMade(e.evaluation, e.suite, data.Dataset); err != nil {
		return err
	}
	m, err := r.trainedModel(data.Dataset, e.evaluation.Epoch)
	if err != nil {
		return err
	}
	p, err := m.With(e.evaluation.Latents).NewPredictor(e.images.Count(), samples, e.evaluation.Seed)
	e.predictors = append(e.predictors, p)
	return err
}

// takeFirst leaves so many of the images, the first ones; 0 leaves all.
func (e *evaluator) takeFirst(count int) error {
	if have := e.images.Count(); count > have {
		return fmt.Errorf("nbbnn: %d test images are asked for, the run's data set has %d: lower the number", count, have)
	}
	if count > 0 {
		e.images, e.indices = e.images.Slice(0, count), e.indices[:count]
	}
	return nil
}
