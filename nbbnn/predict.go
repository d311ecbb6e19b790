package nbbnn

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Predict returns a trained run's predictions of the images of one cell of an evaluation, with
// their labels: of the clean images for score.Clean and severity 0, or under a corruption at a
// severity of 1 to 5. It's for numbers that cells don't have, for example risk and coverage.
// EvaluateWith keeps predictions on disk.
func (r *Run) Predict(
	ctx context.Context, evaluation Evaluation, corruption string, severity int,
) (prediction score.Prediction, labels []uint8, err error) {
	s, err := r.subject()
	if err = cmp.Or(checkSpot(corruption, severity), err); err != nil {
		return prediction, nil, err
	}
	if err = s.check(evaluation); err != nil {
		return prediction, nil, err
	}
	e, err := s.plainEvaluator(ctx, evaluation)
	if err != nil {
		return prediction, nil, err
	}
	if err = e.open(ctx); err != nil {
		return prediction, nil, stopped(err)
	}
	images, err := e.corrupted(ctx, score.Condition{Corruption: corruption, Severity: severity})
	if err == nil {
		prediction, err = e.predict(ctx, images)
	}
	return prediction, images.Labels, stopped(err)
}

func checkSpot(corruption string, severity int) error {
	if severity == 0 && corruption == score.Clean {
		return nil
	}
	if severity < 1 || severity >= score.LevelCount {
		return fmt.Errorf("nbbnn: %s has no severity %d: give 1 to 5, or 0 with %q", corruption,
			severity, score.Clean)
	}
	return check.Known("corruption", corruption, corrupt.Names()...)
}

// PredictImages returns a trained run's predictions of any images: RGB from 0 to 255, pixels
// [count, height, width, 3], of the size that the run was trained on. Labels are ignored and may be
// nil. samples is the number of Monte-Carlo samples of each image, shared equally by the
// components; 0 means 32. Latents depend only on the place of an image, so the same call returns
// the same prediction. Like Predict, it opens the data set of the run and keeps nothing.
// Prediction.MeanProbabilities gives the class probabilities of an image.
func (r *Run) PredictImages(ctx context.Context, images dataset.Images,
	samples int) (score.Prediction, error) {
	images, err := images.Labelled()
	if err != nil {
		return score.Prediction{}, err
	}
	p, err := predictorFor(ctx, r, samples, images.Height, images.Width)
	if err != nil {
		return score.Prediction{}, err
	}
	prediction, err := p.Predict(ctx, images)
	return prediction, stopped(err)
}

// PredictValues is PredictImages for pixels that aren't bytes, for example an implicit
// corruption's: [count, height, width, 3], 0 to 1, or beyond.
func (r *Run) PredictValues(ctx context.Context, values []float32, height, width,
	samples int) (score.Prediction, error) {
	if size := height * width * 3; size <= 0 || len(values) == 0 || len(values)%size > 0 {
		return score.Prediction{}, fmt.Errorf("nbbnn: %d values aren't images of %d x %d pixels "+
			"in RGB: give count x height x width x 3, of one image or more",
			len(values), height, width)
	}
	p, err := predictorFor(ctx, r, samples, height, width)
	if err != nil {
		return score.Prediction{}, err
	}
	pixels := make([]float32, len(values))
	for i, value := range values {
		pixels[i] = 255 * value
	}
	prediction, err := p.PredictValues(ctx, pixels, height, width)
	return prediction, stopped(err)
}

// imagePredictor predicts images with the samples of a trained run: draws of the latents of one
// network, or several sets of weights.
type imagePredictor interface {
	Predict(ctx context.Context, images dataset.Images) (score.Prediction, error)
	PredictValues(ctx context.Context, pixels []float32, height, width int) (score.Prediction,
		error)
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
	model = model.With(e.Latents, e.LatentScale.value(), e.BatchStatistics)
	request := statisticsOf(r, model.Engine.Name, e)
	request.Images, request.Samples, request.Seed, request.Latents = images, e.Samples, e.Seed,
		e.Latents
	request.Train, request.ReadOnly, request.Progress = data.Train, progress == nil, progress
	several, err := methods.NewPredictor(r.config.Method, model, state, request)
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
	if err := r.CheckEvaluation(evaluation); err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	if train := data.Train; height != train.Height || width != train.Width {
		return nil, fmt.Errorf("nbbnn: images of %d x %d pixels, run %s was trained on %d x %d: "+
			"scale them to that", height, width, r.directory, train.Height, train.Width)
	}
	return newPredictor(r, data.Dataset, evaluation, data.Test.Count(), nil)
}

// statisticsOf returns a prediction that keeps the statistics of the draws from a checkpoint of a
// run, in its directory.
func statisticsOf(r *Run, engine string, e Evaluation) methods.Prediction {
	weights, err := r.checkpoints().sha256(e.Epoch)
	if err != nil {
		weights = "" // keeps nothing
	}
	return methods.Prediction{Directory: r.path("statistics"), Weights: weights, Engine: engine}
}
