package paper

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// CrossTest is the negative log-likelihood of one network on images with implicit corruptions,
// those of its own and those of the other methods' networks of the same seed.
type CrossTest struct {
	Clean float64              `json:"clean"` // on the images without corruption
	By    map[string][]float64 `json:"by"`    // by the method whose corruptions they are, one value for each lambda
}

// crossTest predicts the clean images and all of their corruptions.
func (crossMeasurement) crossTest(ctx context.Context, r *Result, tested RunResult, progress nbbnn.Progress) (CrossTest, error) {
	settings := r.Setup.filledImplicit()
	data, err := r.Setup.testImages(ctx, settings.First+settings.Images)
	if err != nil {
		return CrossTest{}, err
	}
	images := data.Test.Slice(settings.First, settings.First+settings.Images)
	t := crossTester{run: tested, samples: r.Setup.Evaluation.Samples, images: images}
	test := CrossTest{By: map[string][]float64{}}
	if test.Clean, err = t.clean(ctx); err != nil {
		return test, err
	}
	for _, other := range r.Runs {
		if other.Seed != tested.Seed {
			continue
		}
		corruptions, err := other.ImplicitCorruptions(ctx, r.Setup.Implicit, progress)
		if err != nil {
			return test, err
		}
		for _, lambda := range settings.Lambda {
			nll, err := t.corrupted(ctx, corruptions, lambda)
			if err != nil {
				return test, err
			}
			test.By[other.Method] = append(test.By[other.Method], nll)
		}
	}
	return test, nil
}

// crossTester tests one run on implicit corruptions of some images.
type crossTester struct {
	run     RunResult
	samples int
	images  dataset.Images
}

func (t crossTester) clean(ctx context.Context) (float64, error) {
	prediction, err := t.run.PredictImages(ctx, t.images, t.samples)
	if err != nil {
		return 0, err
	}
	return nllOf(prediction, t.images.Labels)
}

// corrupted returns the mean negative log-likelihood on the corruptions of one lambda, draw by
// draw. Each draw has one corruption of each image.
func (t crossTester) corrupted(ctx context.Context, corruptions []implicit.Corruption, lambda float64) (mean float64, err error) {
	byDraw := map[int][]float32{}
	for _, c := range corruptions { // by image, then by draw
		if c.Lambda == lambda {
			byDraw[c.Draw] = append(byDraw[c.Draw], c.Corrupted()...)
		}
	}
	for draw := range len(byDraw) {
		prediction, err := t.run.PredictValues(ctx, byDraw[draw], t.images.Height, t.images.Width, t.samples)
		if err != nil {
			return 0, err
		}
		nll, err := nllOf(prediction, t.images.Labels)
		if err != nil {
			return 0, err
		}
		mean += nll / float64(len(byDraw))
	}
	return mean, nil
}

// nllOf returns the negative log-likelihood of the mean predictive.
func nllOf(prediction score.Prediction, labels []uint8) (float64, error) {
	cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, labels)
	return cell.NLL, err
}
