package score

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// setCells are scaledCells with prediction sets.
func setCells(t *testing.T) Cells {
	cells := scaledCells(t)
	for i := range cells {
		part := float64(i) / 30
		cells[i].Sets = &ConformalSets{PredictionSets{part, 0.9, 1 + part}, PredictionSets{part / 2, 0.95, 2 + part}}
	}
	return cells
}

// Cells with and without the optional metrics are read back to the last bit. The file has the
// columns of those that one of its cells has.
func TestOptionalColumnsRoundTrip(t *testing.T) {
	mixed := setCells(t)
	mixed[1].Temperature, mixed[1].ScaledNLL = 0, 0
	mixed[2].Further = nil
	mixed[3].Sets = nil
	older := randomCells(t)
	for i := range older {
		older[i].Further = nil
	}
	for name, c := range map[string]struct {
		cells  Cells
		header string
	}{
		"all":       {setCells(t), "epistemic,temperature,nll_t,augrc,classwise_ece,smooth_ece,aps_threshold,aps_coverage,aps_size,aps_plain_threshold,aps_plain_coverage,aps_plain_size,sha256\n"},
		"mixed":     {mixed, "nll_t,augrc,classwise_ece,smooth_ece,aps_threshold,"},
		"no images": {randomCells(t), "epistemic,augrc,classwise_ece,smooth_ece,sha256\n"},
		"older":     {older, "aleatoric,epistemic,sha256\n"},
	} {
		t.Run(name, func(t *testing.T) {
			directory, key := t.TempDir(), Key{Suite: "first8", Samples: 2}
			store := openTestCells(t, directory)
			for _, cell := range c.cells {
				testkit.NoError(t, store.Add(key, cell))
			}
			text, err := os.ReadFile(filepath.Join(directory, "cells.csv"))
			if err != nil || !strings.Contains(string(text), c.header) {
				t.Errorf("cells.csv is\n%s(%v), want a header with %q", text, err, c.header)
			}
			again := openTestCells(t, directory)
			for _, want := range c.cells {
				if got, found := again.Find(key, want.Condition()); !found || !reflect.DeepEqual(got, want) {
					t.Errorf("cell is %+v (%v), want %+v", got, found, want)
				}
			}
		})
	}
}

// Every optional column but thresholds and temperatures is a metric with the value of the
// cell, and no number for a cell without it.
func TestOptionalColumnsAreMetrics(t *testing.T) {
	cell, found := setCells(t)[7], 0
	for _, group := range columnGroups {
		for i, column := range group.columns {
			if strings.HasSuffix(column, "threshold") || strings.HasPrefix(column, "temperature") {
				continue
			}
			metric := testkit.Must(MetricByName(column))(t)
			near(t, column, metric.Value(cell), *group.values(&cell)[i], 0)
			if value := metric.Value(Cell{}); !math.IsNaN(value) {
				t.Errorf("%s of a cell without it is %v, want no number", column, value)
			}
			found++
		}
	}
	if want := len(optionalMetrics()); found != want {
		t.Errorf("%d columns, want %d", found, want)
	}
	summaries := testkit.Must(SummariseCells("fog,snow", setCells(t), setCells(t)))(t)
	near(t, "size of plain sets", summaries[7].Metrics["aps_plain_size"].Mean, setCells(t)[7].Sets.Plain.Size, 1e-12)
	_, err := Metrics()[len(Metrics())-1].Levels(randomCells(t))
	checkError(t, "no sets", err, "PlainSetSize isn't measured at level 0: `nbbnn evaluate`")
}
