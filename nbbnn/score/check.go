package score

import (
	"fmt"
	"math"
	"slices"
)

// sumTolerance is how far a row of probabilities may add up to something else than one: logarithms
// that somebody rounded pass, logits do not.
const sumTolerance = 0.01

// check reports a prediction or labels that no score can be computed from: every exported function
// that takes them calls it first.
func (p Prediction) check(labels []uint8) error {
	if err := p.checkLabels(labels); err != nil {
		return err
	}
	return p.checkRows()
}

// checkLabels compares the shape of a prediction with its numbers and its labels.
func (p Prediction) checkLabels(labels []uint8) error {
	if len(labels) != p.Images {
		return fmt.Errorf("score: %d labels for %d predicted images: give one for each", len(labels), p.Images)
	}
	if err := p.checkShape(); err != nil {
		return err
	}
	if len(labels) > 0 && int(slices.Max(labels)) >= p.Classes {
		return fmt.Errorf("score: label %d in %d classes: check the order of the labels", slices.Max(labels), p.Classes)
	}
	return nil
}

// checkShape compares the log-probabilities with their shape.
func (p Prediction) checkShape() error {
	if p.Images < 0 || p.Samples < 1 || p.Classes < 2 {
		return fmt.Errorf("score: a prediction of %d images, %d samples and %d classes can't be measured: give at least 1 sample and 2 classes",
			p.Images, p.Samples, p.Classes)
	}
	if want := p.Images * p.Samples * p.Classes; len(p.LogProbabilities) != want {
		return fmt.Errorf("score: %d log-probabilities for %d images, %d samples and %d classes: give %d",
			len(p.LogProbabilities), p.Images, p.Samples, p.Classes, want)
	}
	return nil
}

// checkRows reports the first row that is no distribution.
func (p Prediction) checkRows() error {
	if err := p.checkShape(); err != nil {
		return err
	}
	for row := range slices.Chunk(p.LogProbabilities, p.Classes) {
		if err := checkRow(row); err != nil {
			return err
		}
	}
	return nil
}

// checkRow reports a row of log-probabilities that are no distribution: a class of probability 0
// is minus infinity.
func checkRow[F float32 | float64](row []F) error {
	sum := 0.0
	for _, l := range row {
		sum += math.Exp(float64(l))
	}
	switch {
	case math.Abs(sum-1) <= sumTolerance: // false for NaN
		return nil
	case math.IsNaN(sum):
		return fmt.Errorf("score: a prediction of the network isn't a number: train it again with a lower learning rate")
	}
	return fmt.Errorf("score: the probabilities of a prediction add up to %.4g, not to 1: give logarithms of probabilities, such as the log-softmax of logits", sum)
}

// isConfidence reports whether a number is a probability; float32 rounds those of nearly one up.
func isConfidence(c float64) bool { return c >= 0 && c < 1+1e-5 }

// checkOutcomes reports the first confidence that is no probability.
func checkOutcomes(outcomes []Outcome) error {
	for _, o := range outcomes {
		if !isConfidence(o.Confidence) {
			return fmt.Errorf("score: confidence %g: give probabilities, 0 to 1", o.Confidence)
		}
	}
	return nil
}
