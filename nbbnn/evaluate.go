package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
)

// Evaluate tests a trained run on clean and corrupted images: level 0, and every corruption of the suite at five severities.
// Cells that the run already has aren't computed again; each new one is saved at once, so a cancelled evaluation, whose
// error wraps ErrStopped, goes on where it was.
func (r *Run) Evaluate(ctx context.Context, evaluation Evaluation, progress Progress) (Cells, error) {
	evaluation = r.fillEvaluation(evaluation)
	if err := evaluation.Validate(r.config.Posterior.Components); err != nil {
		return nil, err
	}
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil {
		return nil, err
	}
	if !r.Complete() {
		return nil, fmt.Errorf("nbbnn: run %s isn't trained to the end: Run.Train does what is missing", r.directory)
	}
	store, err := r.openCells()
	if err != nil {
		return nil, err
	}
	t := &test{run: r, evaluation: evaluation, suite: suite, store: store, progress: progress, started: time.Now()}
	if cells, missing := t.have(); missing == 0 && r.evaluatedBefore() {
		return cells, nil
	}
	return t.complete(ctx)
}

// fillEvaluation fills an evaluation's defaults; without latents all samples are the same, so one is enough.
func (r *Run) fillEvaluation(evaluation Evaluation) Evaluation {
	evaluation = evaluation.WithDefaults()
	if r.config.Posterior.Mode == Deterministic {
		evaluation.Samples = 1
	}
	return evaluation
}

// test is one evaluation at work.
type test struct {
	run        *Run
	evaluation Evaluation
	suite      corrupt.Suite
	store      *cellStore
	progress   Progress
	started    time.Time
	images     dataset.Images
	predictor  *predictor
	computed   int
}

// spot is one cell to be tested.
type spot struct {
	corruption string
	severity   int
}

// spots lists the cells: the clean one, then each corruption with its severities.
func (t *test) spots() []spot {
	spots := []spot{{Clean, 0}}
	for _, corruption := range t.suite.Corruptions {
		for severity := 1; severity < LevelCount; severity++ {
			spots = append(spots, spot{corruption, severity})
		}
	}
	return spots
}

// have returns the cells that the run has, and how many are missing.
func (t *test) have() (cells Cells, missing int) {
	for _, s := range t.spots() {
		cell, found := t.store.find(t.evaluation, s.corruption, s.severity)
		if !found {
			missing++
			continue
		}
		cells = append(cells, cell)
	}
	return cells, missing
}

// complete computes what is missing and puts the result on the run's card.
func (t *test) complete(ctx context.Context) (Cells, error) {
	unlock, err := t.run.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if t.store, err = t.run.openCells(); err != nil { // another process may have added some
		return nil, err
	}
	if err := t.load(ctx); err != nil {
		return nil, stopped(err)
	}
	spots := t.spots()
	for i, s := range spots {
		if err := t.ensure(ctx, s); err != nil {
			return nil, t.explain(err)
		}
		t.report(i+1, len(spots), s)
	}
	cells, _ := t.have()
	levels, err := cells.Levels()
	if err != nil {
		return nil, err
	}
	return cells, t.run.recordEvaluation(t.evaluation, levels, time.Since(t.started).Seconds())
}

// Evaluated says whether the run has all cells of an evaluation.
func (r *Run) Evaluated(evaluation Evaluation) bool {
	evaluation = r.fillEvaluation(evaluation)
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil || !r.Complete() {
		return false
	}
	store, err := r.openCells()
	if err != nil {
		return false
	}
	t := &test{run: r, evaluation: evaluation, suite: suite, store: store}
	_, missing := t.have()
	return missing == 0
}

// evaluatedBefore says whether the card holds an evaluation. A process that was killed after the last cell leaves none.
func (r *Run) evaluatedBefore() bool {
	card, err := r.Card()
	return err == nil && card.Evaluation != nil
}

// load opens the test images and the trained network.
func (t *test) load(ctx context.Context) error {
	data, err := t.run.openData(ctx)
	if err != nil {
		return err
	}
	card, err := t.run.Card()
	if err != nil {
		return err
	}
	if err := t.run.sameData(card.Data.Hash, data); err != nil {
		return err
	}
	t.images = data.Test
	if want := t.evaluation.Images; want > 0 {
		if want > t.images.Count() {
			return fmt.Errorf("nbbnn: %d test images are asked for, the run's data set has %d: lower the number", want, t.images.Count())
		}
		t.images = t.images.Slice(0, want)
	}
	n, err := t.run.trainedNetwork(data)
	if err != nil {
		return err
	}
	t.predictor, err = newPredictor(n, t.images.Count(), t.evaluation.Samples, t.evaluation.Seed)
	return err
}

// ensure tests one cell, unless it's there.
func (t *test) ensure(ctx context.Context, s spot) error {
	if _, found := t.store.find(t.evaluation, s.corruption, s.severity); found {
		return nil
	}
	images, err := t.corrupted(ctx, s)
	if err != nil {
		return err
	}
	prediction, err := t.predictor.predict(ctx, images)
	if err != nil {
		return err
	}
	measure, err := NewMeasure(prediction.Samples, prediction.Classes)
	if err != nil {
		return err
	}
	if err := measure.AddPrediction(prediction, images.Labels); err != nil {
		return err
	}
	t.computed++
	return t.store.add(t.evaluation, measure.Cell(s.corruption, s.severity))
}

// corrupted returns the test images of one cell.
func (t *test) corrupted(ctx context.Context, s spot) (dataset.Images, error) {
	images := t.images
	if s.severity == 0 {
		return images, nil
	}
	config := corrupt.Config{Corruption: s.corruption, Severity: s.severity, Seed: t.evaluation.Seed}
	size := corrupt.Size{Height: images.Height, Width: images.Width}
	pixels, err := corrupt.Apply(ctx, config, size, images.Pixels)
	images.Pixels = pixels
	return images, err
}

// explain turns a cancelled context into the error that says how to go on.
func (t *test) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("nbbnn: evaluation of run %s stopped after %d new cells: %w", t.run.directory, t.computed, ErrStopped)
	}
	return err
}

func (t *test) report(done, total int, s spot) {
	if t.progress == nil {
		return
	}
	t.progress(Update{
		Phase: "test",
		Run:   t.run.Hash()[:hashLength],
		Done:  done,
		Total: total,
		Text:  fmt.Sprintf("%s %d", s.corruption, s.severity),
		Rate:  float64(t.computed*t.images.Count()) / time.Since(t.started).Seconds(),
	})
}

// trainedNetwork loads the network of the run's checkpoint.
func (r *Run) trainedNetwork(data *dataset.Dataset) (*network, error) {
	n, err := newNetwork(r.config, data)
	if err != nil {
		return nil, err
	}
	_, err = loadCheckpoint(r, n.store)
	return n, err
}
