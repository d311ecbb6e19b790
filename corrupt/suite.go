package corrupt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
)

// Suite is a named list of corruptions. Results over different suites can't be compared, so each result says which it used.
type Suite struct {
	Name        string
	Corruptions []string // in the reference's order
}

// suites lists what SuiteByName knows.
var suites = []Suite{
	{"all19", Names()},
	{"main15", Names()[:15]},                 // the benchmark's own, scored as mean corruption error
	{"extra4", Names()[15:]},                 // for choosing hyperparameters
	{"ub17", without("motion_blur", "snow")}, // what Uncertainty Baselines evaluates CIFAR-100 on
	{"first8", []string{ // fast and without textures
		"gaussian_noise", "shot_noise", "defocus_blur", "brightness", "contrast", "pixelate", "jpeg_compression", "gaussian_blur",
	}},
}

// without lists all corruptions but some.
func without(excluded ...string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return slices.Contains(excluded, name) })
}

// SuiteNames lists the suites.
func SuiteNames() []string {
	names := make([]string, len(suites))
	for i, suite := range suites {
		names[i] = suite.Name
	}
	return names
}

// SuiteByName returns a suite that the caller may change.
func SuiteByName(name string) (Suite, error) {
	for _, suite := range suites {
		if suite.Name == name {
			return Suite{name, slices.Clone(suite.Corruptions)}, nil
		}
	}
	return Suite{}, fmt.Errorf("corrupt: unknown suite %q%s: want one of %s",
		name, nearest.Hint(name, SuiteNames()), strings.Join(SuiteNames(), ", "))
}
