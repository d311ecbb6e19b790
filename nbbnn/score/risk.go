package score

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	for i, label := range labels {
		mean := p.logMean(i)
		best := floats.MaxIdx(mean)
		outcomes[i] = Outcome{Confidence: math.Exp(mean[best]), Correct: best == int(label)}
	}
	return outcomes, nil
}

// byConfidence returns a copy of outcomes, the most confident first.
func byConfidence(outcomes []Outcome) []Outcome {
	return slices.SortedStableFunc(slices.Values(outcomes), func(a, b Outcome) int {
		return cmp.Compare(b.Confidence, a.Confidence)
	})
}

// RiskPoint is the error of a classifier that answers only if it's confident.
type RiskPoint struct {
	Coverage float64 // share of the images that it answers, above 0 up to 1
	Risk     float64 // share of those that are wrong
}

// RiskCoverage returns the risk at every coverage that a threshold on the confidence gives, the
// smallest coverage first: the images of one confidence are answered together. The last point is
// the error on all images. No outcomes give no points.
func RiskCoverage(outcomes []Outcome) ([]RiskPoint, error) {
	if err := checkOutcomes(outcomes); err != nil {
		return nil, err
	}
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
	return points, nil
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

// AUGRC returns the area under the generalised risk coverage curve, 0 to 0.5: over all thresholds
// on the confidence, the share of all images that are answered and wrong, averaged over the share
// that is answered (Traub et al. 2024, "Overcoming Common Flaws in the Evaluation of Selective
// Classification Systems", equation 4). 0 is perfect. With the area A of AUROC of the confidence
// between right and wrong answers and the error e it is (1 - A) e (1 - e) + e^2 / 2, so it's half
// the error if the confidence says nothing. No outcomes give 0.
func AUGRC(outcomes []Outcome) (float64, error) {
	if err := checkOutcomes(outcomes); err != nil {
		return 0, err
	}
	return augrc(outcomes), nil
}

// augrc is AUGRC of confidences that are probabilities.
func augrc(outcomes []Outcome) float64 {
	sorted := byConfidence(outcomes)
	area, wrong := 0.0, 0 // area in units of 1 / len(outcomes)^2
	for first := 0; first < len(sorted); {
		last, before := first, wrong
		for last < len(sorted) && sorted[last].Confidence == sorted[first].Confidence {
			if !sorted[last].Correct {
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
