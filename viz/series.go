package viz

import (
	"errors"
	"fmt"
	"math"
)

// series is what the curves of every kind of chart have in common.
type series struct {
	name      string
	mean      []float64
	deviation []float64 // nil: none drawn
	seeds     int
	test      string // what was measured, for captions; "": not known
}

// newSeries copies the values of a curve and checks them. The standard deviation over one seed says nothing and is
// left out.
func newSeries(name string, mean, deviation []float64, seeds int) (series, error) {
	s := series{name: name, mean: append([]float64(nil), mean...), seeds: seeds}
	if seeds != 1 && deviation != nil {
		s.deviation = append([]float64{}, deviation...)
	}
	return s, s.check()
}

// check returns an error that names the first value that cannot be drawn.
func (s series) check() error {
	switch {
	case s.name == "":
		return errors.New("viz: a curve has no name: name it after its method")
	case len(s.mean) == 0:
		return fmt.Errorf("viz: curve %q has no values: give one for each place on the axis", s.name)
	case s.deviation != nil && len(s.deviation) != len(s.mean):
		return fmt.Errorf("viz: curve %q has %d means and %d standard deviations: give as many of both", s.name, len(s.mean), len(s.deviation))
	case s.seeds < 0:
		return fmt.Errorf("viz: curve %q has %d seeds: give the number of runs behind it, or 0", s.name, s.seeds)
	case s.deviation != nil && s.seeds == 0:
		return fmt.Errorf("viz: curve %q has standard deviations over 0 seeds: say over how many, in Seeds", s.name)
	}
	if err := finite(s.name, "mean", s.mean, math.Inf(-1)); err != nil {
		return err
	}
	return finite(s.name, "standard deviation", s.deviation, 0)
}

// finite returns an error for the first value that isn't a number or is below least.
func finite(name, what string, values []float64, least float64) error {
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) || value < least {
			return fmt.Errorf("viz: curve %q has the %s %g at place %d: leave the run out, or repair it", name, what, value, i)
		}
	}
	return nil
}

// checkNames returns an error when there is no curve or when two have one name.
func checkNames(all []series) error {
	if len(all) == 0 {
		return errors.New("viz: a chart of 0 curves: give at least one")
	}
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.name] {
			return fmt.Errorf("viz: two curves are called %q: give each its own name", s.name)
		}
		seen[s.name] = true
	}
	return nil
}

// checkPlaces returns an error unless the places of a curve's values on an axis are as many as the values, rise and lie within
// the limits.
func checkPlaces(name, what string, places []float64, count int, limits span) error {
	if len(places) != count {
		return fmt.Errorf("viz: curve %q has %d values and %d of %s: give as many of both", name, count, len(places), what)
	}
	for i, place := range places {
		switch {
		case !(place >= limits.low && place <= limits.high) || math.IsInf(place, 0):
			return fmt.Errorf("viz: curve %q has the %s %g at place %d: give %s", name, what, place, i, limits)
		case i > 0 && place <= places[i-1]:
			return fmt.Errorf("viz: curve %q has the %s %g after %g: sort the values, and give each place once", name, what, place, places[i-1])
		}
	}
	return nil
}

// names returns the names of the series.
func names(all []series) []string {
	result := make([]string, len(all))
	for i, s := range all {
		result[i] = s.name
	}
	return result
}
