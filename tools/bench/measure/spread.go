package measure

import (
	"math"
	"slices"
)

// Spread summarises repeated measurements of one quantity by their order statistics.
type Spread struct {
	Median        float64 `json:"median"`
	FirstQuartile float64 `json:"first_quartile"`
	ThirdQuartile float64 `json:"third_quartile"`
	Least         float64 `json:"least"`
	Most          float64 `json:"most"`
	Count         int     `json:"count"`
}

// NewSpread summarises values; none give zeros.
func NewSpread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Spread{
		Median:        quantile(sorted, 0.5),
		FirstQuartile: quantile(sorted, 0.25),
		ThirdQuartile: quantile(sorted, 0.75),
		Least:         sorted[0],
		Most:          sorted[len(sorted)-1],
		Count:         len(sorted),
	}
}

// quantile interpolates between the two values around a fraction of the sorted ones.
func quantile(sorted []float64, fraction float64) float64 {
	place := fraction * float64(len(sorted)-1)
	below := math.Floor(place)
	low, high := sorted[int(below)], sorted[int(math.Ceil(place))]
	return low + (place-below)*(high-low)
}

// Exponent fits y = a x^b to positive points by least squares of the logarithms and returns b: 1
// where y grows in proportion. It's NaN with fewer than two different x.
func Exponent(x, y []float64) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for i := range x {
		logX, logY := math.Log(x[i]), math.Log(y[i])
		sumX, sumY, sumXX, sumXY = sumX+logX, sumY+logY, sumXX+logX*logX, sumXY+logX*logY
	}
	count := float64(len(x))
	spread := count*sumXX - sumX*sumX
	if spread == 0 {
		return math.NaN()
	}
	return (count*sumXY - sumX*sumY) / spread
}
