// Package check checks the settings of package nbbnn and of its rooms. Every function returns nil
// for a value that a setting may have, or an error of one line that names the setting, the value
// and the cure.
package check

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/nearest"
)

// Unrecognised returns the error from which on a network recognises nothing: three quarters of a
// guesser's error.
func Unrecognised(classes int) float64 { return 0.75 * (1 - 1/float64(classes)) }

// Known checks that a setting has one of its names.
func Known[T ~string](what string, got T, names ...T) error {
	words := make([]string, len(names))
	for i, name := range names {
		if got == name {
			return nil
		}
		words[i] = cmp.Or(string(name), `"" (the default)`)
	}
	return fmt.Errorf("nbbnn: unknown %s %q%s: choose %s", what, got,
		nearest.Hint(string(got), words), strings.Join(words, ", "))
}

// Formats returns an error unless all formats of pictures are known: png, pdf and svg.
func Formats(given ...string) error {
	for _, format := range given {
		if err := Known("format", format, "png", "pdf", "svg"); err != nil {
			return err
		}
	}
	return nil
}

// Path refuses a path with a line break or another control character, which no message can hold.
func Path(path string) error {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Errorf("nbbnn: the path %q has a line break or another control character: "+
			"rename the folder", path)
	}
	return nil
}

// Exclusive checks that a number isn't given together with the switch that turns it off.
func Exclusive(what string, got float64, off bool) error {
	if off && got != 0 {
		return fmt.Errorf("nbbnn: %s is %g and switched off at the same time: leave one of the "+
			"two out", what, got)
	}
	return nil
}

// Shared checks that all components get the same number of draws.
func Shared(what string, count, components int) error {
	if count < 1 || count%components != 0 {
		return fmt.Errorf("nbbnn: %d %s can't be shared equally by %d components: choose a "+
			"positive multiple of %d",
			count, what, components, components)
	}
	return nil
}

// Range checks that a number is in a range, for example "(0,1]". NaN is in none.
func Range[N int | float64](what string, got N, in string) error {
	r, err := parseRange(in)
	if err != nil {
		panic("check: " + what + " has the range " + in) // of the program itself
	}
	if r.has(float64(got)) {
		return nil
	}
	wanted := r.text()
	if float64(got) > r.low && r.high >= unlimited {
		wanted += " and below 1e38"
	}
	return fmt.Errorf("nbbnn: %s is %v: give a number %s, or leave it out", what, got, wanted)
}

// Ranges checks every number of a struct, or of a struct in it, whose tag has a range. A zero,
// which means the default or none, is in each.
func Ranges(structure any) error {
	for _, f := range fields.Of(reflect.TypeOf(structure)) {
		value, in := f.In(structure), f.Tag.Get("range")
		if in == "" || value.IsZero() {
			continue
		}
		var err error
		if value.CanInt() {
			err = Range(f.Label(), int(value.Int()), in)
		} else {
			err = Range(f.Label(), value.Float(), in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type interval struct {
	low, high   float64
	below, upTo byte // "(" or "[", and ")" or "]"
}

func parseRange(text string) (r interval, err error) {
	r.below, r.upTo = text[0], text[len(text)-1]
	_, err = fmt.Sscanf(strings.Trim(text, "[]()"), "%g,%g", &r.low, &r.high)
	return r, err
}

func (r interval) has(x float64) bool {
	return (x > r.low || x == r.low && r.below == '[') && (x < r.high || x == r.high &&
		r.upTo == ']')
}

// unlimited is a bound that only keeps a number finite as a float32.
const unlimited = 1e38

// text returns a range in words, "above 0 up to 1".
func (r interval) text() string {
	words := map[byte]string{'(': "above ", '[': "from ", ']': " up to ", ')': " and below "}
	text := words[r.below] + digits(r.low)
	if r.high < unlimited {
		text += words[r.upTo] + digits(r.high)
	}
	return text
}

func digits(bound float64) string { return strconv.FormatFloat(bound, 'f', -1, 64) }
