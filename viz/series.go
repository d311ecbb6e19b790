package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// series holds the data that the curves of all kinds of charts have.
type series struct {
	name      string
	mean      []float64
	deviation []float64   // nil: not known
	each      [][]float64 // [seeds], as many values as mean; nil: not known
	seeds     int
	colour    string // own, such as "#0067a8"; "": that of the name
	test      string // what was measured, for captions; "": not known
}

// newSeries copies the values of a curve and checks them. The standard deviation over one seed says
// nothing and is left out.
func newSeries(name string, mean, deviation []float64, seeds int) (series, error) {
	s := series{name: name, mean: append([]float64(nil), mean...), seeds: seeds}
	if seeds != 1 && deviation != nil {
		s.deviation = append([]float64{}, deviation...)
	}
	return s, s.check()
}

// barSeeds is the number of seeds from which on a standard deviation is drawn; fewer seeds are
// drawn one by one.
const barSeeds = 5

// drawnDeviation returns the standard deviations if there are seeds enough to draw them, else nil.
func (s series) drawnDeviation() []float64 {
	if s.seeds < barSeeds {
		return nil
	}
	return s.deviation
}

// drawnSeeds returns the values of each seed if they are to be drawn one by one, else nil.
func (s series) drawnSeeds() [][]float64 {
	if s.seeds < 2 || s.seeds >= barSeeds {
		return nil
	}
	return s.each
}

// addSeeds copies and checks the values of each seed, which may be nil.
func (s *series) addSeeds(each [][]float64) error {
	if each != nil && len(each) != s.seeds {
		return fmt.Errorf("viz: curve %q has %d seeds and the values of %d: give those of each seed, or nil", s.name, s.seeds, len(each))
	}
	for _, values := range each {
		if len(values) != len(s.mean) {
			return fmt.Errorf("viz: curve %q has %d means and a seed with %d values: give as many of both", s.name, len(s.mean), len(values))
		}
		if err := finite(s.name, "value", values, math.Inf(-1)); err != nil {
			return err
		}
		s.each = append(s.each, slices.Clone(values))
	}
	return nil
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

// checkNames returns an error when there is no curve, when two have one name, or when a colour is
// none.
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
		if s.colour == "" {
			continue
		}
		if _, err := parseColour(s.colour); err != nil {
			return fmt.Errorf("%w (curve %q)", err, s.name)
		}
	}
	return nil
}

// checkPlaces returns an error unless the places of a curve's values on an axis are as many as the
// values, rise and lie within the limits.
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
