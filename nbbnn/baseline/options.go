package baseline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// option is one of the fields of Method.
type option struct {
	name string // in JSON
	set  bool
	of   []Name
}

// optionsOf lists the fields of a method with the methods that have them.
func optionsOf(m Method) []option {
	return []option{
		{"rho", m.Rho != 0, []Name{SAM, ASAM}},
		{"both_passes", m.BothPasses, []Name{SAM, ASAM}},
		{"start", m.Start != 0, []Name{SWAG}},
		{"rate", m.Rate != 0, []Name{SWAG}},
		{"rank", m.Rank != 0, []Name{SWAG}},
		{"diagonal", m.Diagonal, []Name{SWAG}},
		{"cycles", m.Cycles != 0, []Name{CSGHMC}},
		{"snapshots", m.Snapshots != 0, []Name{CSGHMC}},
		{"noise_epochs", m.NoiseEpochs != 0, []Name{CSGHMC}},
		{"temperature", m.Temperature != 0, []Name{CSGHMC}},
		{"dropout", m.Dropout != 0, []Name{MCDropout}},
		{"std", m.Std != 0, []Name{DAMP}},
		{"sub_batches", m.SubBatches != 0, []Name{DAMP}},
	}
}

// checkOptions refuses the options of other methods.
func checkOptions(m Method, s network.Settings) error {
	name := m.Of(s)
	for _, o := range optionsOf(m) {
		if !o.set || slices.Contains(o.of, name) {
			continue
		}
		var owners []string
		for _, owner := range o.of {
			owners = append(owners, string(owner))
		}
		return fmt.Errorf("nbbnn: %s is an option of the method %s, not of %s: leave it out",
			strings.ReplaceAll(o.name, "_", " "), strings.Join(owners, " and "), name)
	}
	return nil
}
