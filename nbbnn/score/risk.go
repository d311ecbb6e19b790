package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Outcome is what became of one prediction: how probable its likeliest class was said to be, 0 to 1, and whether it was right.
type Outcome struct {
	Confidence float64
	Correct    bool
}

// Outcomes returns those of the mean predictive of every image, with the labels of the images.
func (p Prediction) Outcomes(labels []uint8) ([]Outcome, error) {
	if len(labels) != p.Images {
		return nil, fmt.Errorf("score: %d labels for %d predicted images: give one for each", len(labels), p.Images)
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

// AdaptiveECE is the expected calibration error with bins of the same number of predictions instead of the same width: the
// outcomes are sorted by confidence and dealt out to so many bins, whose sizes differ by one at most. It isn't the paper's
// ECE, which Bins computes, but it doesn't depend on where most confidences lie.
func AdaptiveECE(outcomes []Outcome, bins int) (float64, error) {
	if bins < 1 || len(outcomes) < bins {
		return 0, fmt.Errorf("score: %d outcomes can't fill %d bins: give at least one bin and as many outcomes", len(outcomes), bins)
	}
	sorted := byConfidence(outcomes)
	sum := 0.0
	for b := range bins {
		gap := 0.0
		for _, o := range sorted[b*len(sorted)/bins : (b+1)*len(sorted)/bins] {
			gap += o.Confidence
			if o.Correct {
				gap--
			}
		}
		sum += math.Abs(gap)
	}
	return sum / float64(len(sorted)), nil
}

// byConfidence is a copy of outcomes, the most confident first.
func byConfidence(outcomes []Outcome) []Outcome {
	return slices.SortedStableFunc(slices.Values(outcomes), func(a, b Outcome) int { return cmp.Compare(b.Confidence, a.Confidence) })
}

// RiskPoint is the error of a classifier that answers only where it's confident.
type RiskPoint struct {
	Coverage float64 // share of the images that it answers, above 0 up to 1
	Risk     float64 // share of those that are wrong
}

// RiskCoverage returns the risk at every coverage that a threshold on the confidence gives, the smallest coverage first: the
// images of one confidence are answered together. The last point is the error on all images.
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

// AreaUnderRisk is the mean risk over all coverages of a curve of RiskCoverage, each point counting for the coverage that it
// adds: 0 is perfect, the error of all images what a confidence without information gives.
func AreaUnderRisk(points []RiskPoint) (area float64) {
	covered := 0.0
	for _, p := range points {
		area += p.Risk * (p.Coverage - covered)
		covered = p.Coverage
	}
	return area
}

// ReliabilityPoint is one bin of a reliability diagram.
type ReliabilityPoint struct {
	Confidence float64 // mean confidence of the bin's predictions
	Accuracy   float64 // share of them that is right
	Count      int     // predictions
}

// Reliability returns the bins that hold predictions, the least confident first. A calibrated model has its points on the
// diagonal.
func (b Bins) Reliability() (points []ReliabilityPoint) {
	for _, bin := range b {
		if bin.Count > 0 {
			count := float64(bin.Count)
			points = append(points, ReliabilityPoint{bin.Confidence / count, float64(bin.Correct) / count, bin.Count})
		}
	}
	return points
}
