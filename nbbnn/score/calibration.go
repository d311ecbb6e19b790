package score

import (
	"fmt"
	"math"
	"slices"
)

// binCount is the number of bins of the expected calibration error (METHOD.md 3.5).
const binCount = 15

// Bin counts the predictions whose confidence lies in one interval.
type Bin struct {
	Count      int     // predictions
	Correct    int     // of them
	Confidence float64 // sum of their confidences
}

// Bins holds the counts from which the expected calibration error is computed: bin b holds the
// confidences above b/15 up to and including (b+1)/15. A confidence of zero, or one that is no
// probability, is in none.
type Bins [binCount]Bin

// Add counts one prediction with a confidence of 0 to 1.
func (b *Bins) Add(confidence float64, correct bool) {
	index := binIndex(confidence)
	if index < 0 || !isConfidence(confidence) {
		return
	}
	b[index].Count++
	b[index].Confidence += confidence
	if correct {
		b[index].Correct++
	}
}

// binIndex returns the bin of a confidence, -1 for a confidence of zero. Rounding that lifts a
// confidence above one leaves it in the last bin.
func binIndex(confidence float64) int {
	index := min(int(math.Ceil(confidence*binCount))-1, binCount-1)
	for index >= 0 && confidence <= float64(index)/binCount {
		index--
	}
	for index < binCount-1 && confidence > float64(index+1)/binCount {
		index++
	}
	return index
}

// Pool returns the bins of all predictions of both.
func (b Bins) Pool(other Bins) Bins {
	for i := range b {
		b[i].Count += other[i].Count
		b[i].Correct += other[i].Correct
		b[i].Confidence += other[i].Confidence
	}
	return b
}

// ECE returns the expected calibration error of the given number of predictions, 0 to 1: the sum
// over the bins of the difference between mean confidence and accuracy, weighted by the bin's share
// of the predictions.
func (b Bins) ECE(predictions int) float64 {
	sum := 0.0
	for _, bin := range b {
		sum += math.Abs(bin.Confidence - float64(bin.Correct))
	}
	return sum / float64(max(1, predictions))
}

// signedECE returns the direction of miscalibration of the given number of predictions, -1 to 1:
// the shares of overconfidence minus underconfidence in ECE, which is mean confidence minus
// accuracy. It is ECE if no bin is underconfident, and -ECE if none is overconfident.
func (b Bins) signedECE(predictions int) float64 {
	sum := 0.0
	for _, bin := range b {
		sum += bin.Confidence - float64(bin.Correct)
	}
	return sum / float64(max(1, predictions))
}

// Count returns the number of predictions in the bins.
func (b Bins) Count() (count int) {
	for _, bin := range b {
		count += bin.Count
	}
	return count
}

// pool returns the bins of all predictions at the given levels, 0 for the clean images; without
// levels, at the severities 1 to 5.
func (c Cells) pool(levels ...int) (pool Bins, err error) {
	if len(levels) == 0 {
		levels = []int{1, 2, 3, 4, 5}
	}
	for _, level := range levels {
		if level < 0 || level >= LevelCount {
			return Bins{}, fmt.Errorf("score: level %d: the levels are 0, clean, to %d", level,
				LevelCount-1)
		}
	}
	for _, cell := range c {
		if slices.Contains(levels, cell.Severity) {
			pool = pool.Pool(cell.Bins)
		}
	}
	return pool, nil
}

// Reliability returns the points of a reliability diagram: for each bin that holds predictions, the
// least confident first, their mean confidence, the share of them that is right, and their number.
// A calibrated model has its points on the diagonal.
func (b Bins) Reliability() (confidence, accuracy []float64, counts []int) {
	for _, bin := range b {
		if bin.Count > 0 {
			count := float64(bin.Count)
			confidence, accuracy = append(confidence, bin.Confidence/count),
				append(accuracy, float64(bin.Correct)/count)
			counts = append(counts, bin.Count)
		}
	}
	return confidence, accuracy, counts
}

// classGaps holds, for each class, the sums over the images of probability minus truth in bins of
// the probability of the class, [classes][binCount].
type classGaps [][binCount]float64

// add adds one image with the logarithms of its mean predictive. A probability of zero is in the
// first bin.
func (g classGaps) add(logProbabilities []float64, label int) {
	for class, l := range logProbabilities {
		probability := math.Exp(l)
		gap := probability
		if class == label {
			gap--
		}
		g[class][max(0, binIndex(probability))] += gap
	}
}

// error returns the classwise expected calibration error of a number of images, 0 to 1: the mean
// over the classes of the expected calibration error of the probability of that class, with 15 bins
// of equal width (Kull et al. 2019, "Beyond temperature scaling", section 2; Nixon et al. 2019 call
// it static calibration error). 0 is perfect.
func (g classGaps) error(images int) float64 {
	sum := 0.0
	for _, bins := range g {
		for _, gap := range bins {
			sum += math.Abs(gap)
		}
	}
	return sum / float64(max(1, images)) / float64(max(1, len(g)))
}
