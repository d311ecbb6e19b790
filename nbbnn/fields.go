package nbbnn

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Field describes a field of Config. Struct tags describe the fields:
//
//	json     the key in config.json
//	help     what the flag sets, with unit and default; a field without has no flag
//	flag     the flag's name if it isn't the key
//	of       the methods that have the field; without, all have it
//	neutral  the value that says nothing new about a method without the field, besides "" and 0
//	values   the words that the field takes
//	from     the flags of the fields that its default follows from
type Field struct {
	fields.Field
	Flag   string          // of `nbbnn train`, for example "init-std"; "" if none sets the field
	Help   string          // of the flag
	Values []string        // that the field takes, if it takes a few words
	Of     []baseline.Name // methods that have the field; none means all
	From   []string        // flags of fields that the default follows from
}

// Fields lists the fields of Config in their order.
func Fields() []Field { return slices.Clone(allFields) }

var allFields = configFields()

func configFields() (list []Field) {
	for _, f := range fields.Of(reflect.TypeFor[Config]()) {
		field := Field{
			Field: f, Help: f.Tag.Get("help"), From: strings.Fields(f.Tag.Get("from")),
			Values: strings.Fields(f.Tag.Get("values")),
		}
		for _, name := range strings.Fields(f.Tag.Get("of")) {
			field.Of = append(field.Of, baseline.Name(name))
		}
		if field.Help != "" {
			field.Flag = strings.ReplaceAll(f.Label(), " ", "-")
		}
		if flag, has := f.Tag.Lookup("flag"); has {
			field.Flag = flag
		}
		list = append(list, field)
	}
	return list
}

// Words lists the words that the field takes: its Values, or the names that this program knows.
func (f Field) Words() []string {
	switch f.Path() {
	case "network.name":
		return network.Names()
	case "data.name":
		return dataset.Names()
	case "method.name":
		return quantity.Words(baseline.Names()...)
	}
	return f.Values
}

// OptionError is the error about an option that a method doesn't have.
type OptionError struct {
	Method baseline.Name
	Flag   string // of `nbbnn train`, for example "swag-rank"
	Text   string // of the error
}

// Error returns the text.
func (e OptionError) Error() string { return e.Text }

// Has reports whether the method of a filled configuration has the field.
func (f Field) Has(c Config) bool {
	method := c.Method
	// of a program's own, which has the options of the node-BNN or of MAP
	if method.Fingerprint != "" {
		method = Method{}
	}
	return len(f.Of) == 0 || slices.Contains(f.Of, method.Of(c.Settings())) ||
		f.Flag == "samples" && c.drops()
}

// CheckOwner returns an OptionError if the field has a value in a configuration whose method
// doesn't have it.
func (f Field) CheckOwner(c Config) error {
	text := f.Text(c)
	if f.In(c).IsZero() || text == f.Tag.Get("neutral") {
		return nil
	}
	filled := c.WithDefaults()
	method := filled.Method.Of(filled.Settings())
	if f.Has(filled) || !slices.Contains(baseline.Names(), method) {
		return nil
	}
	without := ""
	if slices.Contains(f.Of, baseline.NodeBNN) {
		without = ", which has no latents"
	}
	return OptionError{method, f.Flag, fmt.Sprintf("nbbnn: %s %s (--%s) is an option of the %s "+
		"%s, not of %s%s: leave it out",
		f.Label(), text, f.Flag, quantity.Noun(len(f.Of), "method"),
		strings.Join(quantity.Words(f.Of...), " and "), method, without)}
}

// checkOptions refuses options of methods other than a filled configuration's.
func (c Config) checkOptions() error {
	for _, f := range allFields {
		if f.Keys[0] != "method" {
			continue // a file may hold settings of latents that its network lacks
		}
		if err := f.CheckOwner(c); err != nil {
			return err
		}
	}
	return nil
}

// drops reports whether a filled configuration trains a network with dropout, which takes samples
// as latents do.
func (c Config) drops() bool {
	return c.Method.Name == baseline.MCDropout ||
		slices.Contains(network.Names(), c.Network.Name) && c.Network.Architecture(1).HasDropout
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
			if !f.Has(c) {
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
	return c.Method.Of(c.Settings()).Title()
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
