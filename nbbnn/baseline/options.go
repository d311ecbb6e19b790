package baseline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// option is one of the fields of Method.
type option struct {
	name  string // in JSON
	flag  string // of `nbbnn train`
	value any
	of    []Name
}

// isSet reports whether the option has another value than its type's zero.
func (o option) isSet() bool {
	return !slices.Contains([]any{0, 0.0, false}, o.value)
}

// text names the option, its value and its flag.
func (o option) text() string {
	return fmt.Sprintf("%s %v (--%s)", strings.ReplaceAll(o.name, "_", " "), o.value, o.flag)
}

// optionsOf lists the fields of a method with the methods that have them.
func optionsOf(m Method) []option {
	return []option{
		{"rho", "rho", m.Rho, []Name{SAM, ASAM}},
		{"both_passes", "both-passes", m.BothPasses, []Name{SAM, ASAM}},
		{"start", "swag-start", m.Start, []Name{SWAG}},
		{"rate", "swag-rate", m.Rate, []Name{SWAG}},
		{"rank", "swag-rank", m.Rank, []Name{SWAG}},
		{"diagonal", "swag-diagonal", m.Diagonal, []Name{SWAG}},
		{"cycles", "cycles", m.Cycles, []Name{CSGHMC}},
		{"snapshots", "snapshots", m.Snapshots, []Name{CSGHMC}},
		{"noise_epochs", "noise-epochs", m.NoiseEpochs, []Name{CSGHMC}},
		{"temperature", "temperature", m.Temperature, []Name{CSGHMC}},
		{"dropout", "dropout", m.Dropout, []Name{MCDropout}},
		{"std", "damp-std", m.Std, []Name{DAMP}},
		{"sub_batches", "damp-sub-batches", m.SubBatches, []Name{DAMP}},
	}
}

// OptionError is the error about an option that a method doesn't have.
type OptionError struct {
	Method Name
	Flag   string // of `nbbnn train`, such as "swag-rank"
	Text   string // of the error
}

// Error returns the text.
func (e OptionError) Error() string { return e.Text }

// checkOptions refuses the options of other methods by an OptionError.
func checkOptions(m Method, s network.Settings) error {
	name := m.Of(s)
	for _, o := range optionsOf(m) {
		if !o.isSet() || slices.Contains(o.of, name) {
			continue
		}
		var owners []string
		for _, owner := range o.of {
			owners = append(owners, string(owner))
		}
		return OptionError{name, o.flag, fmt.Sprintf("nbbnn: %s is an option of the %s %s, not of %s: leave it out",
			o.text(), quantity.Noun(len(owners), "method"), strings.Join(owners, " and "), name)}
	}
	return nil
}
