package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// PredictImages returns what a trained run says about images of one's own: RGB from 0 to 255, pixels [count, height, width, 3],
// of the size that the run was trained on. Labels aren't looked at and may be nil. samples is the number of Monte-Carlo samples
// of each image, shared equally by the components; 0 means 32. Latents depend on the place of an image alone, so the same call
// gives the same answer. Like Predict, it opens the data set of the run, and nothing is kept. score.Prediction.MeanProbabilities is
// what the network answers.
func (r *Run) PredictImages(ctx context.Context, images dataset.Images, samples int) (score.Prediction, error) {
	images, err := withLabels(images)
	if err != nil {
		return score.Prediction{}, err
	}
	e, err := r.openFor(ctx, samples, images.Height, images.Width)
	if err != nil {
		return score.Prediction{}, err
	}
	prediction, err := e.predict(ctx, images)
	return prediction, stopped(err)
}

// PredictValues is PredictImages for pixels that are no bytes, such as those of implicit corruptions: [count, height, width, 3],
// 0 to 1 where they aren't beyond.
func (r *Run) PredictValues(ctx context.Context, values []float32, height, width, samples int) (score.Prediction, error) {
	if size := height * width * 3; size <= 0 || len(values) == 0 || len(values)%size > 0 {
		return score.Prediction{}, fmt.Errorf("nbbnn: %d values aren't images of %d x %d pixels in RGB: give count x height x width x 3, of one image or more",
			len(values), height, width)
	}
	e, err := r.openFor(ctx, samples, height, width)
	if err != nil {
		return score.Prediction{}, err
	}
	pixels := make([]float32, len(values))
	for i, value := range values {
		pixels[i] = 255 * value
	}
	prediction, err := predictPixels(ctx, e.predictors[0], pixels, height, width)
	return prediction, stopped(err)
}

// openFor opens the evaluator of images of one's own, which must have the size that the run was trained on, with so many samples of each.
func (r *Run) openFor(ctx context.Context, samples, height, width int) (*evaluator, error) {
	evaluation := r.fillEvaluation(Evaluation{Samples: samples})
	if err := evaluation.Validate(r.config.Posterior.Components); err != nil {
		return nil, err
	}
	e, err := newEvaluator(r.directory, r.config.RunName(), evaluation)
	if err != nil {
		return nil, err
	}
	if err := e.openRun(ctx, r, evaluation.Samples); err != nil {
		return nil, stopped(err)
	}
	if have := e.images; height != have.Height || width != have.Width {
		return nil, fmt.Errorf("nbbnn: images of %d x %d pixels, run %s was trained on %d x %d: scale them to that",
			height, width, r.directory, have.Height, have.Width)
	}
	return e, nil
}

// withLabels gives images without labels the label 0, and checks that there are as many bytes as the shape says.
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
