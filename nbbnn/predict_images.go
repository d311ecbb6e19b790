package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
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
	p, err := r.predictorFor(ctx, samples, images.Height, images.Width)
	if err != nil {
		return score.Prediction{}, err
	}
	prediction, err := p.Predict(ctx, images)
	return prediction, stopped(err)
}

// PredictValues is PredictImages for pixels that are no bytes, such as those of implicit corruptions: [count, height, width, 3],
// 0 to 1 where they aren't beyond.
func (r *Run) PredictValues(ctx context.Context, values []float32, height, width, samples int) (score.Prediction, error) {
	if size := height * width * 3; size <= 0 || len(values) == 0 || len(values)%size > 0 {
		return score.Prediction{}, fmt.Errorf("nbbnn: %d values aren't images of %d x %d pixels in RGB: give count x height x width x 3, of one image or more",
			len(values), height, width)
	}
	p, err := r.predictorFor(ctx, samples, height, width)
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

// predictorFor loads the predictor of images of a size.
func (r *Run) predictorFor(ctx context.Context, samples, height, width int) (*network.Predictor, error) {
	evaluation := r.fillEvaluation(Evaluation{Samples: samples})
	if err := evaluation.Validate(r.config.Posterior.Components); err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	m, err := r.modelOf(data, height, width)
	if err != nil {
		return nil, err
	}
	return m.NewPredictor(data.Test.Count(), evaluation.Samples, evaluation.Seed)
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
