package score

import (
	"fmt"
	"math"
)

// Summary is a quantity over several runs, usually one for each seed.
type Summary struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"` // sample standard deviation, with N-1 in the denominator; 0 for fewer than two values
	N    int     `json:"n"`   // values
}

// Summarise returns the mean and the sample standard deviation of values; of no values, the zero Summary.
func Summarise(values []float64) Summary {
	s := Summary{N: len(values)}
	if s.N == 0 {
		return s
	}
	for _, value := range values {
		s.Mean += value / float64(s.N)
	}
	if s.N < 2 {
		return s
	}
	squares := 0.0
	for _, value := range values {
		squares += (value - s.Mean) * (value - s.Mean)
	}
	s.Std = math.Sqrt(squares / float64(s.N-1))
	return s
}

// String is such as "0.291 ± 0.056 (n = 25)".
func (s Summary) String() string { return fmt.Sprintf("%.3f ± %.3f (n = %d)", s.Mean, s.Std, s.N) }
