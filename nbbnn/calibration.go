package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Every cell has a temperature-scaled NLL next to its NLL: the NLL of softmax(log p / T), where p
// is the mean predictive. One T serves all cells of an evaluation. It is fitted to held-out clean
// images (Guo et al. 2017) with the same number of samples and the same latents, and kept with each
// cell, so that a stopped evaluation continues with the same T. The thresholds of prediction sets
// are fitted to the same images. If fewer than CrossFitImages are held out, and fewer than are
// tested, there are two temperatures, each fitted to half of the clean images that are tested and
// used on the other half, and no prediction sets.

// CrossFitImages is the least number of images of a test with cross-fitted temperatures: 50 a half.
// On a few images a temperature can multiply the NLL.
const CrossFitImages = 100

// enoughImages are enough for the temperature of a part that is tested uncorrupted, in a single
// cell. One number is fitted to them.
const enoughImages = 1000

// heldOutImages returns which images a temperature is fitted to in a filled evaluation of count
// images: held images of a part, from first on. held is the number of tested images, at most the
// part's, and at most enoughImages for a single cell. A run's validation images come first; a run
// without them, or tested on them, takes the test images that follow the tested ones. held is 0 if
// fewer are left than CrossFitImages and than are tested. For another data set, no test image of
// the run's own is tested.
func heldOutImages(e Evaluation, count, validation, test int) (part Part, first, held int) {
	if e.Part.isTest() && e.Test == "" {
		first = e.First + count
	}
	few := min(CrossFitImages, count)
	if e.Part != TestPart {
		count = min(count, enoughImages)
	}
	part, held = TestPart, max(0, min(count, test-first))
	if validation > 0 && e.Part != ValidationPart {
		part, first, held = ValidationPart, 0, min(count, validation)
	}
	if held < few {
		held = 0
	}
	return part, first, held
}

// HeldOut returns how many images the temperature of an evaluation of count images was fitted to,
// and their part: clean images that weren't tested. There are 0 if it was cross-fitted to tested
// ones.
func (t tested) HeldOut(evaluation Evaluation, count int) (part Part, held int, err error) {
	s, err := t.of()
	if err != nil {
		return "", 0, err
	}
	card, err := s.members[0].Card()
	if err != nil {
		return "", 0, err
	}
	validation := 0
	if s.samePart(ValidationPart) == nil {
		validation = s.members[0].config.Data.Validation
	}
	part, _, held = heldOutImages(s.members[0].FillEvaluation(evaluation), count, validation,
		card.Data.Test)
	if held < evaluation.BatchStatistics {
		held = 0
	}
	return part, held, nil
}

// heldOut returns the images for the temperature of an evaluation of count images. withValidation
// allows validation images. They are spread over all of them, since some data sets are sorted by
// class, and have their true labels even if the training labels are noisy, as test images have.
func (p *parts) heldOut(e Evaluation, count int, withValidation bool) dataset.Images {
	validation := 0
	if withValidation {
		validation = len(p.held)
	}
	part, first, held := heldOutImages(e, count, validation, p.Test.Count())
	if part == TestPart {
		return p.Test.Slice(first, first+held)
	}
	places := make([]int, held)
	for i := range places {
		places[i] = i * validation / held
	}
	images := choose(p.validation, places)
	for i, place := range places {
		images.Labels[i] = p.labels[p.held[place]]
	}
	return images
}

// calibration holds the fit to the held-out images: the temperature, and the threshold of
// prediction sets.
type calibration struct {
	temperature float64 // 0 before the fit
	// of the images at odd places, if temperatures are cross-fitted; otherwise 0
	odd       float64
	threshold float64
}

// calibrate takes the fit from a cell of the evaluation, or fits to the held-out images. Without
// held-out images it cross-fits, where p is the prediction under a condition.
func (e *evaluator) calibrate(ctx context.Context, s score.Condition,
	p score.Prediction) (err error) {
	if e.calibration.temperature > 0 {
		return nil
	}
	crossed := e.heldOut.Count() == 0
	cells, _ := e.have(false)
	for _, cell := range cells {
		switch {
		case crossed && cell.OddTemperature > 0:
			e.calibration = calibration{temperature: cell.Temperature, odd: cell.OddTemperature}
			return nil
		case !crossed && cell.Temperature > 0 && cell.Sets != nil:
			e.calibration = calibration{cell.Temperature, 0, cell.Sets.Randomised.Threshold}
			return nil
		}
	}
	if crossed {
		if s.Severity > 0 { // p is of corrupted images
			if p, err = e.predict(ctx, e.images); err != nil {
				return err
			}
		}
		e.calibration.temperature, e.calibration.odd, err = p.CrossFitTemperatures(e.images.Labels)
		return err
	}
	prediction, err := e.predict(ctx, e.heldOut)
	if err != nil {
		return err
	}
	threshold, err := score.APSThreshold(prediction, e.heldOut.Labels, score.SetLevel,
		uniforms(e.evaluation.Seed, heldOutUniforms, prediction.Images))
	if err != nil {
		return err
	}
	temperature, err := score.FitTemperature(prediction, e.heldOut.Labels)
	e.calibration = calibration{temperature, 0, threshold}
	return err
}

// Images that prediction sets are randomised for.
const (
	heldOutUniforms = iota
	testedUniforms
)

// uniforms returns u of each image for randomised prediction sets. They depend on the seed of the
// evaluation and the place of the image, so a stopped evaluation continues with the same.
func uniforms(seed uint64, images uint64, count int) []float64 {
	rng := random.New(seed, random.PredictionSets, images)
	values := make([]float64, count)
	for i := range values {
		values[i] = rng.Float64()
	}
	return values
}

// predictionSets measures the prediction sets of tested images.
func predictionSets(p score.Prediction, labels []uint8, threshold float64,
	seed uint64) (*score.ConformalSets, error) {
	sets, err := score.MeasureSets(p, labels, threshold, uniforms(seed, testedUniforms, p.Images))
	return &score.ConformalSets{Randomised: sets}, err
}
