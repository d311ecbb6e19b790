package paper

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/quantity"
)

// checkCosts compares the words on what the methods cost with their rows of the first table, and
// those on SWAG's epochs, whose seconds are those of the clock.
func checkCosts(t *testing.T, folder string) {
	t.Helper()
	costs := costsOfTable(t, string(readFile(t, filepath.Join(folder, tablesFile))))
	const network = 701_466
	for _, c := range []struct {
		method                               string
		networks, epochs, training, predicts int
	}{
		{"MAP", 1, 30, 1, 1}, {ensembleMAP, 2, 30, 2, 2}, {withAugMix, 1, 30, 1, 1},
		{"SAM", 1, 30, 2, 1}, {"ASAM", 1, 30, 2, 1}, {"DAMP", 1, 30, 1, 1}, {dropout, 1, 30, 1, 16},
		{"SWAG", 16, 30, 1, 16}, {"cSG-HMC", 12, 30, 1, 12},
	} {
		want := tableCosts{quantity.Thousands(float64(c.networks * network)), fmt.Sprint(c.epochs), fmt.Sprint(c.training), fmt.Sprint(c.predicts)}
		if costs[c.method] != want {
			t.Errorf("the costs of %s are %+v, want %+v, with the numbers of %d networks", c.method, costs[c.method], want, c.networks)
		}
	}
	for method, passes := range map[string]string{"fixed noise": "0 16", "post hoc": "3 16", noisyAugMix: "3 16", ensembleNoisy: "3 32", "node-BNN": "30 16"} {
		if c := costs[method]; c.epochs+" "+c.prediction != passes {
			t.Errorf("%s has the epochs and the passes of a prediction %s %s, want %s", method, c.epochs, c.prediction, passes)
		}
	}
	checkEpochs(t, folder)
}

// tableCosts are the costs of a method as the table of the page has them.
type tableCosts struct{ parameters, epochs, training, prediction string }

// costsOfTable returns the costs of the first table of a page by the names of the methods.
func costsOfTable(t *testing.T, tables string) map[string]tableCosts {
	t.Helper()
	var header []string
	costs := map[string]tableCosts{}
	for line := range strings.Lines(tables) {
		cells := tableCells(line)
		switch {
		case len(cells) < 2:
			return costs
		case header == nil:
			header = cells
			continue
		}
		of := func(column string) string {
			at := slices.Index(header, column)
			if at < 0 {
				t.Fatalf("the table has no column %q: %q", column, header)
			}
			return cells[at]
		}
		costs[of("method")] = tableCosts{of("parameters"), of("epochs"), of("training"), of("prediction")}
	}
	return costs
}

// checkEpochs compares the words on the seconds of SWAG's epochs.
func checkEpochs(t *testing.T, folder string) {
	t.Helper()
	var epochs []float64
	for line := range strings.Lines(string(readFile(t, filepath.Join(folder, cardsFolder, "swag-seed1.train.jsonl")))) {
		var epoch struct{ Seconds float64 }
		if err := json.Unmarshal([]byte(line), &epoch); err != nil {
			t.Fatal(err)
		}
		epochs = append(epochs, epoch.Seconds)
	}
	slices.Sort(epochs)
	if last := len(epochs) - 1; epochs[last-1] < 1800 || epochs[last-2] > 1800 || epochs[last/2] > 60 {
		t.Errorf("SWAG's epochs took %.0f s, want two over half an hour and half under a minute", epochs)
	}
}
