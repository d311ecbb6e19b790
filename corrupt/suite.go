package corrupt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
)

// Suite is a named list of corruptions. Results on different suites can't be compared, so each
// result names its suite.
type Suite struct {
	Name        string
	Corruptions []string
}

// suites begins with the benchmark's; RegisterSuite adds the others.
var suites = []Suite{
	{"all19", Names()[:benchmark]},
	// the benchmark's own, scored as mean corruption error
	{"main15", Names()[:15]},
	{"extra4", Names()[15:benchmark]},        // for choosing hyperparameters
	{"ub17", without("motion_blur", "snow")}, // what Uncertainty Baselines evaluates CIFAR-100 on
	{"first8", []string{ // fast and without textures
		"gaussian_noise", "shot_noise", "defocus_blur", "brightness", "contrast", "pixelate",
		"jpeg_compression", "gaussian_blur",
	}},
}

// without lists the nineteen corruptions except some.
func without(excluded ...string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return slices.Contains(excluded, name)
	})
}

// RegisterSuite makes a suite known by its name. It fails for a name that is taken, and for
// corruptions that are unknown or listed twice.
func RegisterSuite(suite Suite) error {
	if err := checkName(suite.Name); err != nil {
		return err
	}
	if err := checkList(suite.Corruptions); err != nil {
		return fmt.Errorf("%w (in suite %q)", err, suite.Name)
	}
	registry.Lock()
	defer registry.Unlock()
	if err := checkFree(suite.Name); err != nil {
		return err
	}
	suites = append(suites, Suite{suite.Name, slices.Clone(suite.Corruptions)})
	return nil
}

// Fingerprint returns eight hexadecimal digits that change with any registered corruption of the
// suite, see the function Fingerprint; "" if all are among the nineteen.
func (s Suite) Fingerprint() string {
	text := ""
	for _, name := range s.Corruptions {
		if print, err := Fingerprint(name); err == nil && print != "" {
			text += name + " " + print + "\n"
		}
	}
	if text == "" {
		return ""
	}
	return digest(text)
}

// checkList reports whether the corruptions of a suite are known and differ.
func checkList(corruptions []string) error {
	if len(corruptions) == 0 {
		return errors.New("corrupt: the suite has no corruptions: give at least one")
	}
	for i, name := range corruptions {
		if _, err := find(name); err != nil {
			return err
		}
		if slices.Contains(corruptions[:i], name) {
			return fmt.Errorf("corrupt: the suite lists %s twice: list it once", name)
		}
	}
	return nil
}

// SuiteNames lists the suites, the registered ones last.
func SuiteNames() (names []string) {
	registry.RLock()
	defer registry.RUnlock()
	for _, suite := range suites {
		names = append(names, suite.Name)
	}
	return names
}

// SuiteByName returns a suite, which the caller may change. Instead of a name it also takes a list
// of corruptions separated by commas ("fog,snow") or a single one: a suite of that name.
func SuiteByName(name string) (Suite, error) {
	registry.RLock()
	known := suites
	registry.RUnlock()
	for _, suite := range known {
		if suite.Name == name {
			return Suite{name, slices.Clone(suite.Corruptions)}, nil
		}
	}
	list := strings.Split(name, ",")
	err := checkList(list)
	if err == nil {
		return Suite{name, list}, nil
	}
	if len(list) > 1 {
		return Suite{}, err
	}
	return Suite{}, fmt.Errorf("corrupt: unknown suite or corruption %q%s: want one of the "+
		"suites %s, or corruptions separated by commas; one of your own is in your program",
		name, nearest.Hint(name, append(SuiteNames(), Names()...)),
		strings.Join(SuiteNames(), ", "))
}
