// Package check checks the settings of package nbbnn and of its rooms. Every function returns nil
// for a value that a setting may have, and else an error of one line that names the setting, the
// value and the cure.
package check

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/nearest"
)

// Known checks that a setting has one of its names.
func Known[T ~string](what string, got T, names ...T) error {
	words := make([]string, len(names))
	for i, name := range names {
		if got == name {
			return nil
		}
		words[i] = cmp.Or(string(name), `"" (the default)`)
	}
	return fmt.Errorf("nbbnn: unknown %s %q%s: choose %s", what, got, nearest.Hint(string(got), words), strings.Join(words, ", "))
}

// AtLeastOne checks a number of things of which 0 means the default.
func AtLeastOne(what string, got int) error {
	if got < 1 {
		return fmt.Errorf("nbbnn: %s is %d: give 1 or more, or 0 for the default", what, got)
	}
	return nil
}

// Positive checks that a number is positive and finite.
func Positive(what string, got float64) error {
	if !(got > 0) || math.IsInf(got, 0) {
		return fmt.Errorf("nbbnn: %s is %g: give a positive number, or 0 for the default", what, got)
	}
	return nil
}

// NotNegative checks that a number is 0 or more.
func NotNegative(what string, got float64) error {
	if got < 0 {
		return fmt.Errorf("nbbnn: %s is %g: give a number that isn't negative", what, got)
	}
	return nil
}

// UpToOne checks that a number is in [0, 1].
func UpToOne(what string, got float64) error {
	if !(got >= 0 && got <= 1) {
		return fmt.Errorf("nbbnn: %s is %g: give a number from 0 to 1", what, got)
	}
	return nil
}

// Exclusive checks that a number isn't given together with the switch that turns it off.
func Exclusive(what string, got float64, off bool) error {
	if off && got != 0 {
		return fmt.Errorf("nbbnn: %s is %g and switched off at the same time: leave one of the two out", what, got)
	}
	return nil
}

// Shared checks that all components get the same number of draws.
func Shared(what string, count, components int) error {
	if count < 1 || count%components != 0 {
		return fmt.Errorf("nbbnn: %d %s can't be shared equally by %d components: choose a positive multiple of %d",
			count, what, components, components)
	}
	return nil
}

// Ranges checks every number of a struct, or of a struct in it, whose tag has a range, such as
// "(0,1]". A zero, which means the default or none, is in each.
func Ranges(structure any) error {
	for _, r := range rangesOf(reflect.TypeOf(structure)) {
		value := r.In(structure)
		if value.IsZero() || r.has(value.Convert(reflect.TypeFor[float64]()).Float()) {
			continue
		}
		return fmt.Errorf("nbbnn: %s is %v: give a number %s, or leave it out", r.Label(), value, r.text())
	}
	return nil
}

// rangedField is a field with the range of its tag, such as "(0,1]".
type rangedField struct {
	fields.Field
	low, high   float64
	below, upTo byte // "(" or "[", and ")" or "]"
}

func (r rangedField) has(x float64) bool {
	return (x > r.low || x == r.low && r.below == '[') && (x < r.high || x == r.high && r.upTo == ']')
}

// unlimited is a bound that only keeps a number finite as a float32.
const unlimited = 1e38

// text is such as "above 0 up to 1".
func (r rangedField) text() string {
	words := map[byte]string{'(': "above ", '[': "from ", ']': " up to ", ')': " and below "}
	text := words[r.below] + digits(r.low)
	if r.high < unlimited {
		text += words[r.upTo] + digits(r.high)
	}
	return text
}

func digits(bound float64) string { return strconv.FormatFloat(bound, 'f', -1, 64) }

var ranged sync.Map // the fields with a range of each type that was asked for

func rangesOf(structure reflect.Type) (list []rangedField) {
	if known, found := ranged.Load(structure); found {
		return known.([]rangedField)
	}
	for _, f := range fields.Of(structure) {
		tag, has := f.Tag.Lookup("range")
		if !has {
			continue
		}
		r := rangedField{Field: f, below: tag[0], upTo: tag[len(tag)-1]}
		if _, err := fmt.Sscanf(strings.Trim(tag, "[]()"), "%g,%g", &r.low, &r.high); err != nil {
			panic("check: " + f.Path() + " has the range " + tag) // of the program itself
		}
		list = append(list, r)
	}
	ranged.Store(structure, list)
	return list
}
