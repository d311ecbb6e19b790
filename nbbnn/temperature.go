package nbbnn

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Every cell has a temperature-scaled NLL next to its NLL: that of softmax(log p / T), where p is
// the mean predictive. One T serves all cells of an evaluation. It is fitted to held-out clean
// images (Guo et al. 2017) with the same number of samples and the same latents, and kept with each
// cell, so that a stopped evaluation continues with the same T. The thresholds of prediction sets
// are fitted to the same images (conformal.go).

// enoughImages is how many images are enough for the temperature of a part that is tested
// uncorrupted, in a single cell. One number is fitted to them.
const enoughImages = 1000

// heldOutImages says which images a temperature is fitted to in a filled evaluation of count images:
// those of a part, from the first on. There are as many as are tested, but no more than there are,
// and enoughImages for a test of a single cell. A run's validation images come first; a run without
// them, or tested on them, takes the test images that follow those that are tested. held is 0 if
// none are left.
func heldOutImages(e Evaluation, count, validation, test int) (part Part, first, held int) {
	if e.Part.isTest() {
		first = e.First + count
	}
	if e.Part != TestPart {
		count = min(count, enoughImages)
	}
	if validation > 0 && e.Part != ValidationPart {
		return ValidationPart, 0, min(count, validation)
	}
	return TestPart, first, max(0, min(count, test-first))
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

// calibration holds the fit to the held-out images: the temperature, and the thresholds of
// prediction sets with and without randomisation.
type calibration struct {
	temperature float64 // 0 before it's known
	thresholds  *[2]float64
}

// isComplete reports whether everything is known.
func (c calibration) isComplete() bool { return c.temperature > 0 && c.thresholds != nil }

// take takes what a cell of the evaluation knows.
func (c *calibration) take(cell score.Cell) {
	if c.temperature == 0 {
		c.temperature = cell.Temperature
	}
	if c.thresholds == nil && cell.Sets != nil {
		c.thresholds = &[2]float64{cell.Sets.Randomised.Threshold, cell.Sets.Plain.Threshold}
	}
}

// calibrate takes what cells of the evaluation know, and fits the rest to the held-out images.
func (e *evaluator) calibrate(ctx context.Context) error {
	if e.calibration.isComplete() {
		return nil
	}
	cells, _ := e.have()
	for _, cell := range cells {
		e.calibration.take(cell)
	}
	if e.calibration.isComplete() {
		return nil
	}
	prediction, err := e.predict(ctx, e.heldOut)
	if err != nil {
		return err
	}
	if e.calibration.temperature == 0 {
		if e.calibration.temperature, err = score.FitTemperature(prediction, e.heldOut.Labels); err != nil {
			return err
		}
	}
	if e.calibration.thresholds == nil {
		e.calibration.thresholds, err = fitThresholds(prediction, e.heldOut.Labels, e.evaluation.Seed)
	}
	return err
}

// canScale reports whether images are left to calibrate with, without opening the data set.
func (e *evaluator) canScale(r *Run, cells score.Cells) bool {
	card, err := r.Card()
	if err != nil || len(cells) == 0 {
		return false
	}
	validation := r.config.Data.Validation
	if e.noValidation {
		validation = 0
	}
	_, _, held := heldOutImages(e.evaluation, cells[0].Images, validation, card.Data.Test)
	return held > 0
}

// canFill reports whether cells lack metrics that they can get.
func (e *evaluator) canFill(r *Run, cells score.Cells) bool {
	if !e.fill {
		return false
	}
	if slices.ContainsFunc(cells, func(c score.Cell) bool { return c.Further == nil }) {
		return true
	}
	return slices.ContainsFunc(cells, uncalibrated) && e.canScale(r, cells)
}

// uncalibrated reports whether a cell lacks metrics that need held-out images.
func uncalibrated(cell score.Cell) bool { return !cell.IsScaled() || cell.Sets == nil }

// lacksMetrics reports whether a cell has to be computed again for metrics that cells of earlier
// versions lack.
func (e *evaluator) lacksMetrics(cell score.Cell) bool {
	return e.fill && (cell.Further == nil || uncalibrated(cell) && e.heldOut.Count() > 0)
}

// How far a cell that is computed again may differ from what it was: another engine or processor
// rounds differently.
const (
	repeatedNLL   = 2e-3 // relative, or absolute below 1
	repeatedError = 2e-3 // of the images, or two images
)

// repeatsExactly reports whether a cell that was computed again has all metrics of the old one, bit
// by bit.
func repeatsExactly(old, now score.Cell) bool {
	if !old.IsScaled() {
		now.Temperature, now.ScaledNLL = 0, 0
	}
	if old.Further == nil {
		now.Further = nil
	}
	if old.Sets == nil {
		now.Sets = nil
	}
	return reflect.DeepEqual(old, now)
}

// repeated returns a cell that was computed again: the old metrics with those that it lacked. It is
// an error if NLL or error aren't what they were.
func (e *evaluator) repeated(old, now score.Cell) (score.Cell, error) {
	nll, wrong := math.Abs(now.NLL-old.NLL), math.Abs(now.Error-old.Error)
	tooFar := nll > repeatedNLL*max(1, old.NLL) || wrong > max(repeatedError, 2.5/float64(old.Images))
	if tooFar || now.Images != old.Images || now.Samples != old.Samples {
		return old, fmt.Errorf("nbbnn: %s %d of run %s has NLL %.6g and error %.4g in cells.csv, computed again %.6g and %.4g: weights or images changed since; remove cells.csv and evaluate again",
			old.Corruption, old.Severity, e.directory, old.NLL, old.Error, now.NLL, now.Error)
	}
	if !old.IsScaled() {
		old.Temperature, old.ScaledNLL = now.Temperature, now.ScaledNLL
	}
	if old.Further == nil {
		old.Further = now.Further
	}
	if old.Sets == nil {
		old.Sets = now.Sets
	}
	return old, nil
}
