package score

import (
	"fmt"
	"math"
	"slices"
)

// Measure collects the metrics of METHOD.md 3.5 over images, one after the other, in float64.
type Measure struct {
	samples, classes int
	images, wrong    int
	top2, top3       int
	sums             struct{ nll, gibbs, missNLL, brier, total, aleatoric float64 }
	bins             Bins
	gaps             classGaps
	outcomes         []Outcome
}

// NewMeasure returns a measure of predictions with the given numbers of Monte-Carlo samples and
// classes.
func NewMeasure(samples, classes int) (*Measure, error) {
	if samples < 1 || classes < 2 {
		return nil, fmt.Errorf("score: a prediction of %d samples and %d classes can't be measured: give at least 1 and 2", samples, classes)
	}
	return &Measure{samples: samples, classes: classes, gaps: make(classGaps, classes)}, nil
}

// AddPrediction adds all images of a prediction, with their labels.
func (m *Measure) AddPrediction(prediction Prediction, labels []uint8) error {
	if err := prediction.check(labels); err != nil {
		return err
	}
	if prediction.Samples != m.samples || prediction.Classes != m.classes {
		return fmt.Errorf("score: a prediction of %d samples and %d classes for a measure of %d and %d: make one for each",
			prediction.Samples, prediction.Classes, m.samples, m.classes)
	}
	image := make([]float64, prediction.Samples*prediction.Classes)
	for i, label := range labels {
		for j, value := range prediction.Image(i) {
			image[j] = float64(value)
		}
		m.add(image, int(label))
	}
	return nil
}

// Add adds one image with its log-probabilities, [samples, classes], and its label.
func (m *Measure) Add(logProbabilities []float64, label int) error {
	if len(logProbabilities) != m.samples*m.classes || label < 0 || label >= m.classes {
		return fmt.Errorf("score: %d log-probabilities and label %d are no prediction of %d samples and %d classes: check their order",
			len(logProbabilities), label, m.samples, m.classes)
	}
	for sample := range slices.Chunk(logProbabilities, m.classes) {
		if err := checkRow(sample); err != nil {
			return err
		}
	}
	m.add(logProbabilities, label)
	return nil
}

// add adds one image that was checked.
func (m *Measure) add(logProbabilities []float64, label int) {
	mean := MeanPredictive(logProbabilities, m.classes) // [classes], logarithms
	best, rank := argMax(mean), rankOf(mean, label)
	m.images++
	m.sums.nll -= mean[label]
	m.sums.brier += brier(mean, label)
	m.sums.total += entropy(mean)
	m.bins.Add(math.Exp(mean[best]), best == label)
	m.gaps.add(mean, label)
	m.outcomes = append(m.outcomes, Outcome{math.Exp(mean[best]), best == label})
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
}

// Cell returns the metrics of the images that were added.
func (m *Measure) Cell(corruption string, severity int) Cell {
	images := float64(max(1, m.images))
	return Cell{
		Corruption: corruption,
		Severity:   severity,
		Images:     m.images,
		Samples:    m.samples,
		NLL:        m.sums.nll / images,
		Error:      float64(m.wrong) / images,
		ECE:        m.bins.ECE(m.images),
		GibbsNLL:   m.sums.gibbs / images,
		Brier:      m.sums.brier / images,
		MissNLL:    m.sums.missNLL / float64(max(1, m.wrong)),
		Top2:       float64(m.top2) / images,
		Top3:       float64(m.top3) / images,
		Total:      m.sums.total / images,
		Aleatoric:  m.sums.aleatoric / images,
		Epistemic:  (m.sums.total - m.sums.aleatoric) / images,
		Bins:       m.bins,
		Further:    m.further(),
	}
}

// further returns the metrics that need all images together.
func (m *Measure) further() *Further {
	if m.images == 0 {
		return &Further{}
	}
	return &Further{augrc(m.outcomes), m.gaps.error(m.images), smoothECE(m.outcomes)}
}
