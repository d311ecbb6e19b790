package check

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/fields"
)

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
