package score

import "math"

// measure collects the metrics of METHOD.md 3.5 over images, one after the other, in float64.
type measure struct {
	samples, classes int
	images, wrong    int
	top2, top3       int
	sums             struct{ nll, gibbs, missNLL, brier, total, aleatoric float64 }
	bins             Bins
	gaps             classGaps
	outcomes         []Outcome
}

// newMeasure returns a measure of predictions with the given numbers of Monte-Carlo samples and
// classes.
func newMeasure(samples, classes int) *measure {
	return &measure{samples: samples, classes: classes, gaps: make(classGaps, classes)}
}

// add adds one image with its log-probabilities, [samples, classes], and its label.
func (m *measure) add(logProbabilities []float64, label int) {
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

// cell returns the metrics of the images that were added.
func (m *measure) cell(c Condition) Cell {
	images := float64(max(1, m.images))
	return Cell{
		Corruption: c.Corruption,
		Severity:   c.Severity,
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
func (m *measure) further() *Further {
	if m.images == 0 {
		return &Further{}
	}
	return &Further{augrc(m.outcomes), m.gaps.error(m.images), smoothECE(m.outcomes)}
}
