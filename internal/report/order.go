package report

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// setting is a setting in which the methods of a comparison differ.
type setting struct {
	name    string
	values  []string  // [methods], in words
	numbers []float64 // [methods]; nil unless all are numbers
}

// Ordered returns the comparison with its methods in the order of the settings in which they
// differ: by the first of them in the order of their fields, then the next. Numbers are compared by
// value.
func Ordered(c score.Comparison) score.Comparison {
	differing := differingSettings(c)
	places := make([]int, len(c.Methods))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		for _, s := range differing {
			order := cmp.Compare(s.values[a], s.values[b])
			if s.numbers != nil {
				order = cmp.Compare(s.numbers[a], s.numbers[b])
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	methods := make([]score.Method, len(places))
	for i, place := range places {
		methods[i] = c.Methods[place]
	}
	c.Methods = methods
	return c
}

// axisOf returns the only number in which methods differ, for example gamma, with its value for
// each method. found is false if they differ in nothing, in another setting or in several. Settings
// that always have the same value count as one.
func axisOf(c score.Comparison) (name string, values []float64, found bool) {
	differing := differingSettings(c)
	if len(c.Methods) < 2 || len(differing) == 0 || differing[0].numbers == nil {
		return "", nil, false
	}
	first := differing[0]
	for _, other := range differing[1:] {
		if !slices.Equal(other.values, first.values) {
			return "", nil, false
		}
	}
	sorted := slices.Sorted(slices.Values(first.numbers))
	return first.name, first.numbers, len(slices.Compact(sorted)) == len(c.Methods)
}

// differingSettings lists the settings in which methods don't agree, in the order of their fields.
func differingSettings(c score.Comparison) (all []setting) {
	if len(c.Methods) == 0 {
		return nil
	}
	first := reflect.TypeOf(c.Methods[0].Settings)
	other := func(m score.Method) bool { return reflect.TypeOf(m.Settings) != first }
	if first == nil || slices.ContainsFunc(c.Methods, other) {
		return nil
	}
	for _, field := range fields.Of(first) {
		s := setting{name: field.Label(), numbers: []float64{}}
		for _, m := range c.Methods {
			text := field.Text(m.Settings)
			s.values = append(s.values, text)
			if number, err := strconv.ParseFloat(text, 64); err == nil && s.numbers != nil {
				s.numbers = append(s.numbers, number)
			} else {
				s.numbers = nil
			}
		}
		if slices.ContainsFunc(s.values, func(value string) bool { return value != s.values[0] }) {
			all = append(all, s)
		}
	}
	return all
}
