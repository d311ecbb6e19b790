package viz

import (
	"cmp"
	"fmt"
	"math"
)

// paired returns an error unless an owner has as many of one thing as of another.
func paired(owner, one string, count int, other string, others int) error {
	if count == others {
		return nil
	}
	return fmt.Errorf("viz: %s has %d %s and %d %s: give as many of both", owner, count, one, others, other)
}

// optional is paired for things of which nil means none.
func optional[T any](owner, one string, count int, other string, others []T) error {
	if others == nil {
		return nil
	}
	return paired(owner, one, count, other, len(others))
}

// Limits of values.
var (
	numbers   = span{math.Inf(-1), math.Inf(1)}
	positives = span{math.SmallestNonzeroFloat64, math.Inf(1)}
	zeroOrUp  = span{0, math.Inf(1)}
	shares    = span{0, 1}
)

// within returns an error for the first of an owner's values that isn't a finite number within limits.
func within(owner, what string, values []float64, limits span) error {
	for i, value := range values {
		if !(value >= limits.low && value <= limits.high) || math.IsInf(value, 0) {
			return fmt.Errorf("viz: %s has the %s %g at place %d: give %s", owner, what, value, i, limits)
		}
	}
	return nil
}

// checkPlaces returns an error unless the places of a curve's values on an axis are as many as the
// values, rise and lie within limits.
func checkPlaces(owner, what string, places []float64, count int, limits span) error {
	for i := 1; i < len(places); i++ {
		if places[i] <= places[i-1] {
			return fmt.Errorf("viz: %s has the %s %g after %g: sort the values, and give each place once", owner, what, places[i], places[i-1])
		}
	}
	return cmp.Or(paired(owner, "values", count, "of "+what, len(places)), within(owner, what, places, limits))
}

// String names the limits as a message gives them.
func (s span) String() string {
	switch {
	case s == numbers:
		return "a number, or leave the run out"
	case math.IsInf(s.low, -1):
		return fmt.Sprintf("%g or less", s.high)
	case s.high > 1e300 && s.low == positives.low:
		return "one above 0"
	case s.high > 1e300:
		return fmt.Sprintf("%g or more", s.low)
	}
	return fmt.Sprintf("%.6g to %.6g", s.low, s.high)
}
