package nbbnn

import (
	"context"
	"fmt"

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
// images at once. progress takes the updates of drawn weights; with nil the statistics that they
// need aren't kept in the run's directory.
func newPredictor(
	r *Run, data *dataset.Dataset, e Evaluation, images int, progress Progress,
) (imagePredictor, error) {
	model, state, err := r.trainedState(data, e.Epoch)
	if err != nil {
		return nil, err
	}
	model = model.With(e.Latents)
	kept := statisticsOf(r, model.Engine().Name, e)
	kept.readOnly = progress == nil
	several, err := r.config.Method.NewPredictor(model, state, baseline.Prediction{
		Images: images, Samples: e.Samples, Seed: e.Seed, Latents: e.Latents, Train: data.Train,
		Statistics: kept, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	if several != nil {
		return several, nil
	}
	return model.NewPredictor(images, e.Samples, e.Seed)
}

// predictorFor loads the predictor for images of a size.
func predictorFor(ctx context.Context, r *Run, samples, height, width int) (imagePredictor, error) {
	evaluation := r.FillEvaluation(Evaluation{Samples: samples})
	if err := r.checkEvaluation(evaluation); err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.checkSize(data.Dataset, height, width); err != nil {
		return nil, err
	}
	return newPredictor(r, data.Dataset, evaluation, data.Test.Count(), nil)
}

// withLabels gives images without labels the label 0, and checks that there are as many bytes as
// the shape says.
func withLabels(images dataset.Images) (dataset.Images, error) {
	size := images.Height * images.Width * 3
	count := len(images.Labels)
	if images.Labels == nil && size > 0 {
		count = len(images.Pixels) / size
	}
	if images.Height < 1 || images.Width < 1 || count < 1 || len(images.Pixels) != count*size {
		return images, fmt.Errorf("nbbnn: %d bytes of pixels aren't %d images of %d x %d pixels in RGB: give count x height x width x 3 bytes, of one image or more",
			len(images.Pixels), count, images.Height, images.Width)
	}
	if images.Labels == nil {
		images.Labels = make([]uint8, count)
	}
	return images, nil
}
