package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// ensure tests one cell and saves its predictions, unless both are there.
func (e *evaluator) ensure(ctx context.Context, s score.Condition) error {
	cell, found := e.store.Find(e.evaluation.key(), s)
	saved, err := e.saver.has(s)
	if err != nil || found && saved {
		return err
	}
	images, err := e.corrupted(ctx, s)
	if err != nil {
		return err
	}
	prediction, err := e.predict(ctx, images)
	if err != nil {
		return err
	}
	e.computed++
	if !found {
		if cell, err = e.cell(ctx, s, prediction, images.Labels); err != nil {
			return err
		}
	}
	if !saved {
		if err := e.saver.save(cell, prediction, images.Labels, e.indices); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	e.added++
	return e.store.Add(e.evaluation.key(), cell)
}

// cell returns the metrics of a prediction. The temperature-scaled NLL and prediction sets need
// held-out images.
func (e *evaluator) cell(ctx context.Context, s score.Condition, p score.Prediction, labels []uint8) (score.Cell, error) {
	cell, err := p.Cell(s, labels)
	if err != nil || e.heldOut.Count() == 0 {
		return cell, err
	}
	if err := e.calibrate(ctx); err != nil {
		return cell, err
	}
	if cell.Sets, err = predictionSets(p, labels, *e.calibration.thresholds, e.evaluation.Seed); err != nil {
		return cell, err
	}
	return p.Scaled(cell, labels, e.calibration.temperature)
}

// predict joins the samples of all networks, so their mean is the mean over the networks.
func (e *evaluator) predict(ctx context.Context, images dataset.Images) (score.Prediction, error) {
	predictions := make([]score.Prediction, len(e.predictors))
	for i, p := range e.predictors {
		var err error
		if predictions[i], err = p.Predict(ctx, images); err != nil {
			return score.Prediction{}, err
		}
	}
	return score.JoinPredictions(predictions...)
}

// corrupted returns the images of one cell, read or generated.
func (e *evaluator) corrupted(ctx context.Context, s score.Condition) (dataset.Images, error) {
	if e.readyMade != nil && s.Severity > 0 {
		return e.readyMade.images(ctx, s, e.images, e.evaluation.First)
	}
	return e.evaluation.corrupted(ctx, e.images, s)
}
