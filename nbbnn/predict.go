package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Predict returns a trained run's predictions of the images of one cell of an evaluation, with
// their labels: of the clean images for score.Clean and severity 0, or of those under a corruption
// at a severity of 1 to 5. It's for numbers that cells don't have, such as risk and coverage.
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
		return fmt.Errorf("nbbnn: %s has no severity %d: give 1 to 5, or 0 with %q", corruption, severity, score.Clean)
	}
	return check.Known("corruption", corruption, slices.Concat(corrupt.Names(), corrupt.Registered())...)
}

// PredictImages returns a trained run's predictions of any images: RGB from 0 to 255, pixels
// [count, height, width, 3], of the size that the run was trained on. Labels are ignored and may be
// nil. samples is the number of Monte-Carlo samples of each image, shared equally by the
// components; 0 means 32. Latents depend on the place of an image alone, so the same call returns
// the same prediction. Like Predict, it opens the data set of the run and keeps nothing.
// Prediction.MeanProbabilities gives the class probabilities of an image.
func (r *Run) PredictImages(ctx context.Context, images dataset.Images, samples int) (score.Prediction, error) {
	images, err := withLabels(images)
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

// PredictValues is PredictImages for pixels that aren't bytes, such as those of implicit
// corruptions: [count, height, width, 3], 0 to 1, or beyond.
func (r *Run) PredictValues(ctx context.Context, values []float32, height, width, samples int) (score.Prediction, error) {
	if size := height * width * 3; size <= 0 || len(values) == 0 || len(values)%size > 0 {
		return score.Prediction{}, fmt.Errorf("nbbnn: %d values aren't images of %d x %d pixels in RGB: give count x height x width x 3, of one image or more",
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
	model = model.With(e.Latents).WithScale(e.LatentScale.Factor()).WithBatchStatistics(e.BatchStatistics)
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

// statistics keeps the running statistics of the weights that a run's predictions draw, in
// statistics/DRAW.safetensors of its directory. A file belongs to the weights and the engine that
// its metadata names.
type statistics struct {
	directory string // of the files
	weights   string // Card.StateSHA256 of the weights that the draws follow from; "" keeps nothing
	engine    string // that computes
	readOnly  bool
}

// statisticsOf returns the statistics of the draws from a checkpoint of a run.
func statisticsOf(r *Run, engine string, e Evaluation) statistics {
	weights, err := r.checkpoints().sha256(e.Epoch)
	if err != nil {
		weights = ""
	}
	return statistics{directory: r.path("statistics"), weights: weights, engine: engine}
}

func (s statistics) path(draw string) string {
	return filepath.Join(s.directory, draw+".safetensors")
}

func (s statistics) metadata() map[string]string {
	return map[string]string{"weights_sha256": s.weights, "engine": s.engine}
}

// Load implements baseline.Statistics. A file of other weights, or a damaged one, isn't kept.
func (s statistics) Load(draw string) []network.Tensor {
	tensors, metadata, err := safetensors.ReadSealed(s.path(draw), draw)
	if err != nil || s.weights == "" || !maps.Equal(metadata, s.metadata()) {
		return nil
	}
	return tensors
}

// Save implements baseline.Statistics. A directory that can't be written costs only time.
func (s statistics) Save(draw string, tensors []network.Tensor) {
	if s.readOnly || s.weights == "" || len(tensors) == 0 {
		return
	}
	if err := os.MkdirAll(s.directory, 0o755); err != nil {
		return
	}
	_ = safetensors.WriteSealed(s.path(draw), draw, tensors, s.metadata())
}
