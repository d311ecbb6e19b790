package nbbnn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/options"
)

// allFields are the fields of Config in their order. The tag neutral names the value that says
// nothing new about a method without the field, besides "" and 0.
var allFields = fields.Of(reflect.TypeFor[Config]())

// checkOptions refuses options of methods other than a filled configuration's.
func (c Config) checkOptions() error {
	for _, f := range allFields {
		if f.Keys[0] != "method" {
			continue // a file may hold settings of latents that its network lacks
		}
		if err := options.Check(f, c, c.Method, c.Settings()); err != nil {
			return err
		}
	}
	return nil
}

// Differences lists each configuration's differences from the others: the title of its method if
// there are several, then the fields of the method in which the configurations of a title differ,
// for example "gamma 8", but the value of most is no difference. The fields that have the paths are
// left out, and so is the seed.
func Differences(configs []Config, without ...string) [][]string {
	titled := make([]fields.Titled, len(configs))
	for i, c := range configs {
		titled[i] = c.titled()
		settings := titled[i].Config.(Config)
		for _, f := range allFields {
			if !options.Has(f, c.Method, c.Settings()) {
				f.In(&settings).SetZero()
			}
		}
		titled[i].Config = settings
	}
	return fields.Exceptions(titled, without...)
}

// Title names the method of a filled configuration in tables and pictures: "MAP", "post hoc".
func (c Config) Title() string {
	switch {
	case c.Posthoc.Chains > 0:
		return "HMC"
	case c.Posthoc.FixedNoise:
		return "fixed noise"
	case c.Posthoc.FreeWeights:
		return "fine-tuned"
	case c.Posthoc.isSet():
		return "post hoc"
	}
	return methods.Title(methods.Of(c.Method, c.Settings()))
}

// titled returns what names the method of a filled configuration: the settings without the seed,
// and without settings of a training that imported weights didn't have.
func (c Config) titled() fields.Titled {
	title := c.Title()
	if c.Imported != "" {
		title, c.Training = title+" from a file", Training{}
	}
	c.Seed, c.Data.First = 0, 0 // seeds may have different training images
	return fields.Titled{Title: title, Config: c}
}

// differences lists the fields in which two filled configurations differ, "gamma 40, not 80".
func differences(have, want Config) string {
	var list []string
	for _, f := range allFields {
		if !f.In(have).Equal(f.In(want)) {
			list = append(list, fmt.Sprintf("%s %s, not %s", f.Label(), f.Text(have), f.Text(want)))
		}
	}
	return strings.Join(list, "; ")
}
