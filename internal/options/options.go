// Package options says which method has which field of an nbbnn.Config, and which words a field
// takes in this program.
package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Words lists the words that a field takes: its Values, or the names that this program knows.
func Words(f fields.Field) []string {
	switch f.Path() {
	case "network.name":
		return network.Names()
	case "data.name":
		return dataset.Names()
	case "method.name":
		return methods.Names()
	}
	return f.Values
}

// Error is the error about an option that a method doesn't have.
type Error struct {
	Method baseline.Name
	Flag   string // of `nbbnn train`, for example "swag-rank"
	Text   string // of the error
}

// Error returns the text.
func (e Error) Error() string { return e.Text }

// Has reports whether a filled configuration's method has a field.
func Has(f fields.Field, m baseline.Method, s network.Settings) bool {
	if m.Fingerprint != "" { // a program's own has the options of the node-BNN or of MAP
		m = baseline.Method{}
	}
	return len(f.Of) == 0 || slices.Contains(f.Of, string(methods.Of(m, s))) ||
		f.Flag == "samples" && drops(m, s)
}

// drops reports whether filled settings train a network with dropout, which takes samples as
// latents do.
func drops(m baseline.Method, s network.Settings) bool {
	return m.Name == baseline.MCDropout ||
		slices.Contains(network.Names(), s.Network.Name) && s.Network.Architecture(1).HasDropout
}

// Check returns an Error if a field has a value in a configuration whose method, which the filled m
// and s give, doesn't have it.
func Check(f fields.Field, config any, m baseline.Method, s network.Settings) error {
	text, method := f.Text(config), methods.Of(m, s)
	if f.In(config).IsZero() || text == f.Tag.Get("neutral") || Has(f, m, s) ||
		!slices.Contains(methods.Names(), string(method)) {
		return nil
	}
	without := ""
	if slices.Contains(f.Of, string(baseline.NodeBNN)) {
		without = ", which has no latents"
	}
	return Error{method, f.Flag, fmt.Sprintf("nbbnn: %s %s (--%s) is an option of the %s "+
		"%s, not of %s%s: leave it out",
		f.Label(), text, f.Flag, quantity.Noun(len(f.Of), "method"),
		strings.Join(f.Of, " and "), method, without)}
}
