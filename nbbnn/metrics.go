package nbbnn

import (
	"fmt"
	"math"
	"slices"
)

// Measure collects the metrics of METHOD.md 3.5 over images, one after the other, in float64 whatever the network
// computed in.
type Measure struct {
	samples, classes int
	images, wrong    int
	top2, top3       int
	sums             struct{ nll, gibbs, missNLL, brier, total, aleatoric float64 }
	bins             Bins
}

// NewMeasure returns a measure of predictions of so many Monte-Carlo samples and classes.
func NewMeasure(samples, classes int) (*Measure, error) {
	if samples < 1 || classes < 2 {
		return nil, fmt.Errorf("nbbnn: a prediction of %d samples and %d classes can't be measured: give at least 1 and 2", samples, classes)
	}
	return &Measure{samples: samples, classes: classes}, nil
}

// AddPrediction adds all images of a prediction, with their labels.
func (m *Measure) AddPrediction(prediction Prediction, labels []uint8) error {
	if len(labels) != prediction.Images {
		return fmt.Errorf("nbbnn: %d labels for %d predicted images: give one for each", len(labels), prediction.Images)
	}
	image := make([]float64, prediction.Samples*prediction.Classes)
	for i, label := range labels {
		for j, value := range prediction.Image(i) {
			image[j] = float64(value)
		}
		if err := m.Add(image, int(label)); err != nil {
			return err
		}
	}
	return nil
}

// Add adds one image with its log-probabilities, [samples, classes], and its label.
func (m *Measure) Add(logProbabilities []float64, label int) error {
	if len(logProbabilities) != m.samples*m.classes || label < 0 || label >= m.classes {
		return fmt.Errorf("nbbnn: %d log-probabilities and label %d are no prediction of %d samples and %d classes: check their order",
			len(logProbabilities), label, m.samples, m.classes)
	}
	if slices.ContainsFunc(logProbabilities, math.IsNaN) {
		return fmt.Errorf("nbbnn: a prediction of the network isn't a number: train it again with a lower learning rate")
	}
	mean := MeanPredictive(logProbabilities, m.classes) // [classes], logarithms
	best, rank := argMax(mean), rankOf(mean, label)
	m.images++
	m.sums.nll -= mean[label]
	m.sums.brier += brier(mean, label)
	m.sums.total += entropy(mean)
	m.bins.Add(math.Exp(mean[best]), best == label)
	if best != label {
		m.wrong++
		m.sums.missNLL -= mean[label]
	}
	if rank < 2 {
		m.top2++
	}
	if rank < 3 {
		m.top3++
	}
	for s := 0; s < len(logProbabilities); s += m.classes {
		sample := logProbabilities[s:][:m.classes]
		m.sums.gibbs -= sample[label] / float64(m.samples)
		m.sums.aleatoric += entropy(sample) / float64(m.samples)
	}
	return nil
}

// MeanPredictive returns the logarithm of the mean over samples of the probabilities, [classes], from log-probabilities
// [samples, classes].
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

// entropy is that of a distribution given by its log-probabilities, in nats.
func entropy(logProbabilities []float64) (entropy float64) {
	for _, l := range logProbabilities {
		if p := math.Exp(l); p > 0 {
			entropy -= p * l
		}
	}
	return entropy
}

// brier is the squared distance between the probabilities and the truth, 0 to 2.
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

// argMax is the first of the likeliest classes.
func argMax(logProbabilities []float64) (best int) {
	for class, l := range logProbabilities {
		if l > logProbabilities[best] {
			best = class
		}
	}
	return best
}

// rankOf is how many classes come before the label; of equally likely ones, those with a smaller number.
func rankOf(logProbabilities []float64, label int) (rank int) {
	for class, l := range logProbabilities {
		if l > logProbabilities[label] || l == logProbabilities[label] && class < label {
			rank++
		}
	}
	return rank
}
