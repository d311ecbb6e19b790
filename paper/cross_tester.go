package paper

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// CrossTest holds the scores of one network on images with implicit corruptions: those of its own
// and those of the other methods' networks of the same seed. By metric: NLL in nats, Error 0 to 1,
// and ScaledNLL with the temperature of the run's test under corruption, if it has one.
type CrossTest map[string]crossScores

// crossScores is one metric of a cross-test.
type crossScores struct {
	Clean float64              `json:"clean"` // on the images without corruption
	By    map[string][]float64 `json:"by"`    // by the method whose corruptions they are, one value for each lambda
}

// crossTest predicts the clean images and all of their corruptions. A temperature of 0 measures no
// scaled likelihood.
func (crossMeasurement) crossTest(ctx context.Context, r *Result, tested RunResult, temperature float64, progress nbbnn.Progress) (CrossTest, error) {
	settings := r.Setup.filledImplicit()
	data, err := r.Setup.testImages(ctx, settings.First+settings.Images)
	if err != nil {
		return nil, err
	}
	images := data.Test.Slice(settings.First, settings.First+settings.Images)
	t := crossTester{run: tested, samples: r.Setup.Evaluation.Samples, images: images, temperature: temperature}
	clean, err := t.clean(ctx)
	if err != nil {
		return nil, err
	}
	by := map[string][]score.Cell{}
	for _, other := range r.Runs {
		if other.Seed != tested.Seed {
			continue
		}
		corruptions, err := other.ImplicitCorruptions(ctx, r.Setup.Implicit, progress)
		if err != nil {
			return nil, err
		}
		for _, lambda := range settings.Lambda {
			cell, err := t.corrupted(ctx, corruptions, lambda)
			if err != nil {
				return nil, err
			}
			by[other.Method] = append(by[other.Method], cell)
		}
	}
	return newCrossTest(clean, by), nil
}

// newCrossTest collects the metrics of cells: of the clean images, and by method and lambda.
func newCrossTest(clean score.Cell, by map[string][]score.Cell) CrossTest {
	test := CrossTest{}
	add := func(name string, metric func(score.Cell) float64) {
		scores := crossScores{Clean: metric(clean), By: map[string][]float64{}}
		for method, cells := range by {
			for _, cell := range cells {
				scores.By[method] = append(scores.By[method], metric(cell))
			}
		}
		test[name] = scores
	}
	add(NLL, func(c score.Cell) float64 { return c.NLL })
	add(Error, func(c score.Cell) float64 { return c.Error })
	if clean.IsScaled() {
		add(ScaledNLL, func(c score.Cell) float64 { return c.ScaledNLL })
	}
	return test
}

// crossTester tests one run on implicit corruptions of some images.
type crossTester struct {
	run         RunResult
	samples     int
	images      dataset.Images
	temperature float64 // 0 for none
}

func (t crossTester) clean(ctx context.Context) (score.Cell, error) {
	prediction, err := t.run.PredictImages(ctx, t.images, t.samples)
	if err != nil {
		return score.Cell{}, err
	}
	return t.cell(prediction)
}

// corrupted returns the mean scores on the corruptions of one lambda over the draws, each of which
// has one corruption of each image.
func (t crossTester) corrupted(ctx context.Context, corruptions []implicit.Corruption, lambda float64) (mean score.Cell, err error) {
	byDraw := map[int][]float32{}
	for _, c := range corruptions { // by image, then by draw
		if c.Lambda == lambda {
			byDraw[c.Draw] = append(byDraw[c.Draw], c.Corrupted()...)
		}
	}
	for draw := range len(byDraw) {
		prediction, err := t.run.PredictValues(ctx, byDraw[draw], t.images.Height, t.images.Width, t.samples)
		if err != nil {
			return mean, err
		}
		cell, err := t.cell(prediction)
		if err != nil {
			return mean, err
		}
		draws := float64(len(byDraw))
		mean.NLL += cell.NLL / draws
		mean.Error += cell.Error / draws
		mean.ScaledNLL += cell.ScaledNLL / draws
	}
	return mean, nil
}

// cell returns the scores of the mean predictive.
func (t crossTester) cell(prediction score.Prediction) (score.Cell, error) {
	cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, t.images.Labels)
	if err != nil || t.temperature == 0 {
		return cell, err
	}
	return prediction.Scaled(cell, t.images.Labels, t.temperature)
}
