package score

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// outcome holds the probability of the likeliest class of a prediction, 0 to 1, and whether that
// class is right.
type outcome struct {
	confidence float64
	correct    bool
}

// byConfidence returns a copy of outcomes, the most confident first.
func byConfidence(outcomes []outcome) []outcome {
	return slices.SortedStableFunc(slices.Values(outcomes), func(a, b outcome) int {
		return cmp.Compare(b.confidence, a.confidence)
	})
}

// RiskCoverage returns the error of a classifier that answers only if it's confident, given the
// labels of the images: at every coverage that a threshold on the confidence of the mean predictive
// gives, which is the share of the images that it answers, above 0 up to 1, the risk, which is the
// share of wrong answers. The smallest coverage is first: images of one confidence are answered
// together. The last point is the error on all images. No images give no points.
func (p Prediction) RiskCoverage(labels []uint8) (coverage, risk []float64, err error) {
	if err := p.check(labels); err != nil {
		return nil, nil, err
	}
	outcomes := make([]outcome, p.Images)
	for i, label := range labels {
		mean := p.logMean(i)
		best := floats.MaxIdx(mean)
		outcomes[i] = outcome{math.Exp(mean[best]), best == int(label)}
	}
	coverage, risk = riskCoverage(outcomes)
	return coverage, risk, nil
}

func riskCoverage(outcomes []outcome) (coverage, risk []float64) {
	sorted := byConfidence(outcomes)
	wrong := 0
	for i, o := range sorted {
		if !o.correct {
			wrong++
		}
		if i+1 < len(sorted) && sorted[i+1].confidence == o.confidence {
			continue
		}
		coverage, risk = append(coverage, float64(i+1)/float64(len(sorted))),
			append(risk, float64(wrong)/float64(i+1))
	}
	return coverage, risk
}

// RiskCoverage returns coverage and risk of thresholds at the borders of the bins, the smallest
// coverage first. Prediction.RiskCoverage gives the whole curve.
func (b Bins) RiskCoverage() (coverage, risk []float64) {
	all, answered, wrong := b.Count(), 0, 0
	for _, bin := range slices.Backward(b[:]) {
		if bin.Count == 0 {
			continue
		}
		answered, wrong = answered+bin.Count, wrong+bin.Count-bin.Correct
		coverage, risk = append(coverage, float64(answered)/float64(all)),
			append(risk, float64(wrong)/float64(answered))
	}
	return coverage, risk
}

// augrc returns the area under the generalised risk coverage curve, 0 to 0.5: over all thresholds
// on the confidence, the share of all images that are answered and wrong, averaged over the share
// that is answered (Traub et al. 2024, "Overcoming Common Flaws in the Evaluation of Selective
// Classification Systems", equation 4). 0 is perfect. With the area A of auroc of the confidence
// between right and wrong answers and the error e it is (1 - A) e (1 - e) + e^2 / 2, so it's half
// the error if the confidence says nothing. No outcomes give 0.
func augrc(outcomes []outcome) float64 {
	sorted := byConfidence(outcomes)
	area, wrong := 0.0, 0 // area in units of 1 / len(outcomes)^2
	for first := 0; first < len(sorted); {
		last, before := first, wrong
		for last < len(sorted) && sorted[last].confidence == sorted[first].confidence {
			if !sorted[last].correct {
				wrong++
			}
			last++
		}
		area += float64(last-first) * float64(before+wrong) / 2
		first = last
	}
	count := float64(max(1, len(outcomes)))
	return area / count / count
}
