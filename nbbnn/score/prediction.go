package score

import (
	"fmt"
	"math"
	"slices"
)

// Prediction holds the log-probabilities of each Monte-Carlo sample for each image.
type Prediction struct {
	Images, Samples, Classes int
	LogProbabilities         []float32 // [images, samples, classes]
}

// Image returns the log-probabilities of one image, [samples, classes].
func (p Prediction) Image(index int) []float32 {
	size := p.Samples * p.Classes
	return p.LogProbabilities[index*size:][:size]
}

// JoinPredictions joins the samples of several predictions of the same images. The mean predictive
// is the average over the predictions, each weighted by its number of samples.
func JoinPredictions(predictions ...Prediction) (Prediction, error) {
	if len(predictions) == 0 {
		return Prediction{}, fmt.Errorf("score: 0 predictions to average: give at least one")
	}
	var joined Prediction
	for i, p := range predictions {
		if err := p.checkShape(); err != nil {
			return Prediction{}, err
		}
		if i > 0 && (p.Images != joined.Images || p.Classes != joined.Classes) {
			return Prediction{}, fmt.Errorf("score: predictions of %d images in %d classes and "+
				"of %d in %d can't be averaged: predict the same images",
				joined.Images, joined.Classes, p.Images, p.Classes)
		}
		joined.Images, joined.Classes = p.Images, p.Classes
		joined.Samples += p.Samples
	}
	if len(predictions) == 1 {
		return predictions[0], nil
	}
	for image := range joined.Images {
		for _, p := range predictions {
			joined.LogProbabilities = append(joined.LogProbabilities, p.Image(image)...)
		}
	}
	return joined, nil
}

// Cell returns the metrics, also registered ones, of a prediction of all images under a condition.
func (p Prediction) Cell(condition Condition, labels []uint8) (Cell, error) {
	if err := p.check(labels); err != nil {
		return Cell{}, err
	}
	m, image := newMeasure(p.Samples, p.Classes), make([]float64, p.Samples*p.Classes)
	for i, label := range labels {
		for j, value := range p.Image(i) {
			image[j] = float64(value)
		}
		m.add(image, int(label))
	}
	cell := m.cell(condition)
	custom, err := computeCustom(p, labels)
	cell.Custom = custom
	return cell, err
}

// MeanProbabilities returns the mean predictive of one image, [classes]: the average of its
// samples' probabilities, which add up to one.
func (p Prediction) MeanProbabilities(index int) []float64 {
	mean := make([]float64, p.Classes)
	for i, log := range p.Image(index) {
		mean[i%p.Classes] += math.Exp(float64(log)) / float64(p.Samples)
	}
	return mean
}

// MeanPredictive returns the logarithm of the mean over samples of the probabilities, [classes],
// from log-probabilities [samples, classes]. Values that aren't numbers stay so.
func MeanPredictive(logProbabilities []float64, classes int) []float64 {
	samples := len(logProbabilities) / classes
	mean := make([]float64, classes)
	for class := range mean {
		largest := math.Inf(-1)
		for s := range samples {
			largest = max(largest, logProbabilities[s*classes+class])
		}
		if math.IsInf(largest, -1) {
			mean[class] = largest
			continue
		}
		sum := 0.0
		for s := range samples {
			sum += math.Exp(logProbabilities[s*classes+class] - largest)
		}
		mean[class] = largest + math.Log(sum/float64(samples))
	}
	return mean
}

// entropy returns the entropy of a distribution given by its log-probabilities, in nats.
func entropy(logProbabilities []float64) (entropy float64) {
	for _, l := range logProbabilities {
		if p := math.Exp(l); p > 0 {
			entropy -= p * l
		}
	}
	return entropy
}

// brier returns the squared distance between the probabilities and the truth, 0 to 2.
func brier(logProbabilities []float64, label int) (sum float64) {
	for class, l := range logProbabilities {
		difference := math.Exp(l)
		if class == label {
			difference--
		}
		sum += difference * difference
	}
	return sum
}

// rankOf returns the number of classes before the label; of equally likely ones, the smaller
// numbers.
func rankOf(logProbabilities []float64, label int) (rank int) {
	for class, l := range logProbabilities {
		if l > logProbabilities[label] || l == logProbabilities[label] && class < label {
			rank++
		}
	}
	return rank
}

// sumTolerance is the largest deviation of a row of probabilities from a sum of one: rounded
// logarithms pass, logits don't.
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
		return fmt.Errorf("score: %d labels for %d predicted images: give one for each",
			len(labels), p.Images)
	}
	if err := p.checkShape(); err != nil {
		return err
	}
	if len(labels) > 0 && int(slices.Max(labels)) >= p.Classes {
		return fmt.Errorf("score: label %d in %d classes: check the order of the labels",
			slices.Max(labels), p.Classes)
	}
	return nil
}

// checkShape compares the log-probabilities with their shape.
func (p Prediction) checkShape() error {
	if p.Images < 0 || p.Samples < 1 || p.Classes < 2 {
		return fmt.Errorf("score: a prediction of %d images, %d samples and %d classes can't be "+
			"measured: give at least 1 sample and 2 classes",
			p.Images, p.Samples, p.Classes)
	}
	if want := p.Images * p.Samples * p.Classes; len(p.LogProbabilities) != want {
		return fmt.Errorf("score: %d log-probabilities for %d images, %d samples and %d classes: "+
			"give %d",
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
		return fmt.Errorf("score: a prediction of the network isn't a number: train it again " +
			"with a lower learning rate")
	}
	return fmt.Errorf("score: the probabilities of a prediction add up to %.4g, not to 1: give "+
		"logarithms of probabilities, for example the log-softmax of logits", sum)
}

// isConfidence reports whether a number is a probability; float32 rounds numbers of nearly one up.
func isConfidence(c float64) bool { return c >= 0 && c < 1+1e-5 }
