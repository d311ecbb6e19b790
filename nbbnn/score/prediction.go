package score

import (
	"fmt"
	"math"
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

// Only returns the prediction of some of the samples, in the given order.
func (p Prediction) Only(samples ...int) Prediction {
	chosen := Prediction{Images: p.Images, Samples: len(samples), Classes: p.Classes}
	for image := range p.Images {
		all := p.Image(image)
		for _, sample := range samples {
			chosen.LogProbabilities = append(chosen.LogProbabilities, all[sample*p.Classes:][:p.Classes]...)
		}
	}
	return chosen
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
			return Prediction{}, fmt.Errorf("score: predictions of %d images in %d classes and of %d in %d can't be averaged: predict the same images",
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

// Cell returns the metrics of a prediction of all images under a condition, with those that are
// registered.
func (p Prediction) Cell(condition Condition, labels []uint8) (Cell, error) {
	measure, err := NewMeasure(p.Samples, p.Classes)
	if err != nil {
		return Cell{}, err
	}
	if err := measure.AddPrediction(p, labels); err != nil {
		return Cell{}, err
	}
	cell := measure.Cell(condition.Corruption, condition.Severity)
	cell.Custom, err = computeCustom(p, labels)
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

// argMax returns the first of the likeliest classes.
func argMax(logProbabilities []float64) (best int) {
	for class, l := range logProbabilities {
		if l > logProbabilities[best] {
			best = class
		}
	}
	return best
}

// rankOf returns how many classes come before the label; of equally likely ones, those with a
// smaller number do.
func rankOf(logProbabilities []float64, label int) (rank int) {
	for class, l := range logProbabilities {
		if l > logProbabilities[label] || l == logProbabilities[label] && class < label {
			rank++
		}
	}
	return rank
}
