package score

import "math"

// BinCount is the number of bins of the expected calibration error (METHOD.md 3.5).
const BinCount = 15

// Bin counts the predictions whose confidence lies in one interval.
type Bin struct {
	Count      int     // predictions
	Correct    int     // of them
	Confidence float64 // sum of their confidences
}

// Bins are the counts from which the expected calibration error is computed: bin b holds the confidences above b/15 up to
// and including (b+1)/15. A confidence of zero falls in none.
type Bins [BinCount]Bin

// Add counts one prediction with a confidence of 0 to 1.
func (b *Bins) Add(confidence float64, correct bool) {
	index := binIndex(confidence)
	if index < 0 {
		return
	}
	b[index].Count++
	b[index].Confidence += confidence
	if correct {
		b[index].Correct++
	}
}

// binIndex is -1 for a confidence of zero. Rounding that lifts a confidence above one leaves it in the last bin.
func binIndex(confidence float64) int {
	index := min(int(math.Ceil(confidence*BinCount))-1, BinCount-1)
	for index >= 0 && confidence <= float64(index)/BinCount {
		index--
	}
	for index < BinCount-1 && confidence > float64(index+1)/BinCount {
		index++
	}
	return index
}

// Pool returns the bins of the predictions of both together.
func (b Bins) Pool(other Bins) Bins {
	for i := range b {
		b[i].Count += other[i].Count
		b[i].Correct += other[i].Correct
		b[i].Confidence += other[i].Confidence
	}
	return b
}

// ECE returns the expected calibration error among so many predictions, 0 to 1: the sum over the bins of the difference
// between mean confidence and accuracy, weighted by the bin's share of the predictions.
func (b Bins) ECE(predictions int) float64 {
	sum := 0.0
	for _, bin := range b {
		sum += math.Abs(bin.Confidence - float64(bin.Correct))
	}
	return sum / float64(max(1, predictions))
}
