package score

import (
	"cmp"
	"math"
	"slices"
)

// Outcome holds the probability of the likeliest class of a prediction, 0 to 1, and whether that
// class is right.
type Outcome struct {
	Confidence float64
	Correct    bool
}

// Outcomes returns the outcome of the mean predictive of every image, given the labels of the
// images.
func (p Prediction) Outcomes(labels []uint8) ([]Outcome, error) {
	if err := p.check(labels); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, p.Images)
	logProbabilities := make([]float64, p.Samples*p.Classes)
	for i, label := range labels {
		for j, value := range p.Image(i) {
			logProbabilities[j] = float64(value)
		}
		mean := MeanPredictive(logProbabilities, p.Classes)
		best := argMax(mean)
		outcomes[i] = Outcome{Confidence: math.Exp(mean[best]), Correct: best == int(label)}
	}
	return outcomes, nil
}

// byConfidence returns a copy of outcomes, the most confident first.
func byConfidence(outcomes []Outcome) []Outcome {
	return slices.SortedStableFunc(slices.Values(outcomes), func(a, b Outcome) int { return cmp.Compare(b.Confidence, a.Confidence) })
}

// RiskPoint is the error of a classifier that answers only if it's confident.
type RiskPoint struct {
	Coverage float64 // share of the images that it answers, above 0 up to 1
	Risk     float64 // share of those that are wrong
}

// RiskCoverage returns the risk at every coverage that a threshold on the confidence gives, the
// smallest coverage first: the images of one confidence are answered together. The last point is
// the error on all images.
func RiskCoverage(outcomes []Outcome) []RiskPoint {
	sorted := byConfidence(outcomes)
	var points []RiskPoint
	wrong := 0
	for i, o := range sorted {
		if !o.Correct {
			wrong++
		}
		if i+1 < len(sorted) && sorted[i+1].Confidence == o.Confidence {
			continue
		}
		points = append(points, RiskPoint{
			Coverage: float64(i+1) / float64(len(sorted)),
			Risk:     float64(wrong) / float64(i+1),
		})
	}
	return points
}

// AreaUnderRisk returns the mean risk over all coverages of a curve of RiskCoverage, each point
// counting for the coverage that it adds: 0 is perfect, the error of all images what a confidence
// without information gives.
func AreaUnderRisk(points []RiskPoint) (area float64) {
	covered := 0.0
	for _, p := range points {
		area += p.Risk * (p.Coverage - covered)
		covered = p.Coverage
	}
	return area
}

// RiskCoverage returns the risk of thresholds at the borders of the bins, the smallest coverage
// first. RiskCoverage of outcomes gives the whole curve.
func (b Bins) RiskCoverage() (points []RiskPoint) {
	all, answered, wrong := b.Count(), 0, 0
	for _, bin := range slices.Backward(b[:]) {
		if bin.Count == 0 {
			continue
		}
		answered, wrong = answered+bin.Count, wrong+bin.Count-bin.Correct
		points = append(points, RiskPoint{
			Coverage: float64(answered) / float64(all),
			Risk:     float64(wrong) / float64(answered),
		})
	}
	return points
}
