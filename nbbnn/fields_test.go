package nbbnn

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// What the tags say is of this program: flags have one field each, defaults follow from flags,
// owners are methods, and words are valid.
func TestFieldsAreDescribed(t *testing.T) {
	byFlag := map[string]fields.Field{}
	for _, f := range allFields {
		if other, double := byFlag[f.Flag]; double && f.Flag != "" {
			t.Errorf("--%s sets %s and %s", f.Flag, other.Path(), f.Path())
		}
		byFlag[f.Flag] = f
		if f.Flag == "" && f.Help == "" && len(f.Values)+len(f.Of) > 0 {
			t.Errorf("%s has values or an owner and no help", f.Path())
		}
		for _, owner := range f.Of {
			if !slices.Contains(methods.Names(), owner) {
				t.Errorf("%s belongs to %q", f.Path(), owner)
			}
		}
		isOption := f.Keys[0] == "method" && f.Help != "" && f.Path() != "method.name"
		if isOption && (len(f.Of) == 0 || slices.Contains(f.Of, string(baseline.NodeBNN)) ||
			slices.Contains(f.Of, string(baseline.MAP))) {
			t.Errorf("the option %s belongs to %v", f.Path(), f.Of)
		}
		for _, word := range f.Values {
			var config Config
			f.In(&config).SetString(word)
			if err := config.Validate(); err != nil && strings.Contains(err.Error(), "unknown") {
				t.Errorf("%s takes %q: %v", f.Path(), word, err)
			}
		}
		if len(f.Values) > 0 {
			var config Config
			f.In(&config).SetString("no word of it")
			if config.Validate() == nil {
				t.Errorf("%s takes any word, not only %v", f.Path(), f.Values)
			}
		}
	}
	for _, f := range allFields {
		for _, flag := range f.From {
			if _, known := byFlag[flag]; !known {
				t.Errorf("%s follows from --%s, which isn't there", f.Path(), flag)
			}
		}
	}
}

// Every method refuses the options of all others, one at a time.
func TestOptionsBelongToMethods(t *testing.T) {
	for _, name := range methods.Names() {
		for _, f := range allFields {
			if f.Keys[0] != "method" || len(f.Of) == 0 {
				continue
			}
			config := Config{Method: Method{Name: baseline.Name(name)}}
			switch value := f.In(&config); value.Kind() {
			case reflect.Bool:
				value.SetBool(true)
			case reflect.Int:
				value.SetInt(1)
			default:
				value.SetFloat(0.25)
			}
			filled := config.WithDefaults()
			err := options.Check(f, config, filled.Method, filled.Settings())
			if owns := slices.Contains(f.Of, string(name)); owns != (err == nil) || err != nil &&
				!strings.Contains(err.Error(), "leave it out") {
				t.Errorf("%s of %s: error %v", f.Path(), name, err)
			}
			if err != nil && config.Validate() == nil {
				t.Errorf("%s of %s is valid", f.Path(), name)
			}
		}
	}
}

// A gamma of -1, which removes the entropy, is the lowest.
func TestLowestGamma(t *testing.T) {
	if err := (Config{Objective: Objective{Gamma: -1}}).Validate(); err != nil {
		t.Error(err)
	}
}

// Every number but a seed has a range, and no number outside of it is valid.
func TestNumbersHaveRanges(t *testing.T) {
	for _, f := range allFields {
		kind := f.In(Config{}).Kind()
		if kind != reflect.Int && kind != reflect.Float64 {
			continue
		}
		wrong := []float64{-1.5, -1e20, 1e39, math.Inf(1), math.Inf(-1), math.NaN()}
		if kind == reflect.Int {
			wrong = []float64{-1, -2, 1 << 40, 1 << 62}
		}
		for _, number := range wrong {
			var config Config
			if len(f.Of) > 0 {
				config.Method.Name = baseline.Name(f.Of[0])
			}
			f.In(&config).Set(reflect.ValueOf(number).Convert(f.In(config).Type()))
			err := config.Validate()
			if want := fmt.Sprintf("%s is %s: give a number ", f.Label(),
				f.Text(config)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", f.Path(), err, want)
			}
		}
	}
}
