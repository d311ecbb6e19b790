package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// imagePredictor predicts images with the samples of a trained run: draws of the latents of one
// network, or several sets of weights.
type imagePredictor interface {
	Predict(ctx context.Context, images dataset.Images) (score.Prediction, error)
	PredictValues(ctx context.Context, pixels []float32, height, width int) (score.Prediction, error)
}

// newPredictor loads the predictor of a filled evaluation of a run, for about the given number of
// images at once.
func newPredictor(
	r *Run, data *dataset.Dataset, e Evaluation, images int,
) (imagePredictor, error) {
	model, state, err := r.trainedState(data, e.Epoch)
	if err != nil {
		return nil, err
	}
	model = model.With(e.Latents)
	several, err := r.config.Method.NewPredictor(model, state, baseline.Prediction{
		Images: images, Samples: e.Samples, Seed: e.Seed, Latents: e.Latents, Train: data.Train,
	})
	if err != nil {
		return nil, err
	}
	if several != nil {
		return several, nil
	}
	return model.NewPredictor(images, e.Samples, e.Seed)
}
