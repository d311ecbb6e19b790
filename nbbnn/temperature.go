package nbbnn

import (
	"context"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Every cell has a temperature-scaled NLL next to its NLL: that of softmax(log p / T), where p is
// the mean predictive. One T serves all cells of an evaluation. It is fitted to held-out clean
// images (Guo et al. 2017) with the same number of samples and the same latents, and kept with each
// cell, so that a stopped evaluation continues with the same T.

// enoughImages is how many images are enough for the temperature of a part that is tested
// uncorrupted, in a single cell. One number is fitted to them.
const enoughImages = 1000

// heldOutImages says which images a temperature is fitted to: those of a part, from the first on.
// There are as many as are tested, but no more than there are, and enoughImages for a test of a
// single cell. A run's validation images come first; a run without them, or tested on them, takes
// the test images that follow those that are tested. held is 0 if none are left.
func heldOutImages(tested Part, count, validation, test int) (part Part, first, held int) {
	if tested.isTest() {
		first = count
	}
	if tested != TestPart {
		count = min(count, enoughImages)
	}
	if validation > 0 && tested != ValidationPart {
		return ValidationPart, 0, min(count, validation)
	}
	return TestPart, first, max(0, min(count, test-first))
}

// heldOut returns the images for the temperature of a test of count images of a part. withValidation
// allows validation images. They are spread over all of them, since some data sets are sorted by
// class, and have their true labels even if the training labels are noisy, as test images have.
func (p *parts) heldOut(tested Part, count int, withValidation bool) dataset.Images {
	validation := 0
	if withValidation {
		validation = len(p.held)
	}
	part, first, held := heldOutImages(tested, count, validation, p.Test.Count())
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

// canScale reports whether images are left to fit a temperature to, without opening the data set.
func (e *evaluator) canScale(r *Run, cells score.Cells) bool {
	card, err := r.Card()
	if err != nil || len(cells) == 0 {
		return false
	}
	validation := r.config.Data.Validation
	if e.noValidation {
		validation = 0
	}
	_, _, held := heldOutImages(e.evaluation.Part, cells[0].Images, validation, card.Data.Test)
	return held > 0
}

// fit returns the temperature that cells of the evaluation already have, or fits it.
func (e *evaluator) fit(ctx context.Context) (float64, error) {
	cells, _ := e.have()
	for _, cell := range cells {
		if cell.IsScaled() {
			return cell.Temperature, nil
		}
	}
	prediction, err := e.predict(ctx, e.heldOut)
	if err != nil {
		return 0, err
	}
	return score.FitTemperature(prediction, e.heldOut.Labels)
}

// lacksTemperature reports whether a cell has to be computed again for its temperature.
func (e *evaluator) lacksTemperature(cell score.Cell) bool {
	return e.fillTemperature && !cell.IsScaled() && e.heldOut.Count() > 0
}

// How far a cell that is computed again may differ from what it was: another engine or processor
// rounds differently.
const (
	repeatedNLL   = 2e-3 // relative, or absolute below 1
	repeatedError = 2e-3 // of the images, or two images
)

// repeated returns a cell that was computed again: the old metrics with the new temperature. It is
// an error if NLL or error aren't what they were.
func (e *evaluator) repeated(old, now score.Cell) (score.Cell, error) {
	nll, wrong := math.Abs(now.NLL-old.NLL), math.Abs(now.Error-old.Error)
	tooFar := nll > repeatedNLL*max(1, old.NLL) || wrong > max(repeatedError, 2.5/float64(old.Images))
	if tooFar || now.Images != old.Images || now.Samples != old.Samples {
		return old, fmt.Errorf("nbbnn: %s %d of run %s has NLL %.6g and error %.4g in cells.csv, computed again %.6g and %.4g: weights or images changed since; remove cells.csv and evaluate again",
			old.Corruption, old.Severity, e.directory, old.NLL, old.Error, now.NLL, now.Error)
	}
	old.Temperature, old.ScaledNLL = now.Temperature, now.ScaledNLL
	return old, nil
}
