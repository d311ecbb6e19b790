package viz

import (
	"math"
	"strconv"
)

// Best reports which of several means are the best: those that a table with so many decimals writes
// as it writes the greatest, or the least unless higher is better. What isn't a number is never the
// best.
func Best(means []float64, higherIsBetter bool, decimals int) []bool {
	best := math.NaN()
	for _, mean := range means {
		mean = rounded(mean, decimals)
		if math.IsNaN(best) || higherIsBetter && mean > best || !higherIsBetter && mean < best {
			best = mean
		}
	}
	are := make([]bool, len(means))
	for i, mean := range means {
		are[i] = rounded(mean, decimals) == best
	}
	return are
}

// rounded returns the value as a table writes it.
func rounded(value float64, decimals int) float64 {
	result, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'f', decimals, 64), 64)
	return result
}
