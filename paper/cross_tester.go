package paper

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// CrossTest holds the scores of one network on images with implicit corruptions: those of its own
// and those of the other methods' networks of the same seed. The fields Clean and By are the
// negative log-likelihood, in nats.
type CrossTest struct {
	crossScores

	// Error is the share of the images, 0 to 1, and ScaledNLL the negative log-likelihood after
	// scaling with Temperature, which is that of the run's test under corruption. Nil is not
	// measured: tests of an earlier version have no error, and those of a run without a temperature
	// no ScaledNLL.
	Error       *crossScores `json:"error,omitempty"`
	ScaledNLL   *crossScores `json:"scaled_nll,omitempty"`
	Temperature float64      `json:"temperature,omitempty"`
}

// crossScores is one metric of a cross-test.
type crossScores struct {
	Clean float64              `json:"clean"` // on the images without corruption
	By    map[string][]float64 `json:"by"`    // by the method whose corruptions they are, one value for each lambda
}

// of returns the scores of a metric; nil if it wasn't measured.
func (t CrossTest) of(metric string) *crossScores {
	switch metric {
	case Error:
		return t.Error
	case ScaledNLL:
		return t.ScaledNLL
	}
	return &t.crossScores
}

// crossTest predicts the clean images and all of their corruptions. A temperature of 0 measures no
// scaled likelihood.
func (crossMeasurement) crossTest(ctx context.Context, r *Result, tested RunResult, temperature float64, progress nbbnn.Progress) (CrossTest, error) {
	settings := r.Setup.filledImplicit()
	data, err := r.Setup.testImages(ctx, settings.First+settings.Images)
	if err != nil {
		return CrossTest{}, err
	}
	images := data.Test.Slice(settings.First, settings.First+settings.Images)
	t := crossTester{run: tested, samples: r.Setup.Evaluation.Samples, images: images, temperature: temperature}
	clean, err := t.clean(ctx)
	if err != nil {
		return CrossTest{}, err
	}
	by := map[string][]score.Cell{}
	for _, other := range r.Runs {
		if other.Seed != tested.Seed {
			continue
		}
		corruptions, err := other.ImplicitCorruptions(ctx, r.Setup.Implicit, progress)
		if err != nil {
			return CrossTest{}, err
		}
		for _, lambda := range settings.Lambda {
			cell, err := t.corrupted(ctx, corruptions, lambda)
			if err != nil {
				return CrossTest{}, err
			}
			by[other.Method] = append(by[other.Method], cell)
		}
	}
	return newCrossTest(clean, by), nil
}

// newCrossTest collects the metrics of cells: of the clean images, and by method and lambda.
func newCrossTest(clean score.Cell, by map[string][]score.Cell) CrossTest {
	of := func(metric func(score.Cell) float64) crossScores {
		scores := crossScores{Clean: metric(clean), By: map[string][]float64{}}
		for method, cells := range by {
			for _, cell := range cells {
				scores.By[method] = append(scores.By[method], metric(cell))
			}
		}
		return scores
	}
	wrong := of(func(c score.Cell) float64 { return c.Error })
	test := CrossTest{crossScores: of(func(c score.Cell) float64 { return c.NLL }), Error: &wrong, Temperature: clean.Temperature}
	if clean.IsScaled() {
		scaled := of(func(c score.Cell) float64 { return c.ScaledNLL })
		test.ScaledNLL = &scaled
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
