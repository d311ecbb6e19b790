package cellstore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// setCells are randomCells with temperatures and prediction sets.
func setCells(t *testing.T) score.Cells {
	cells := randomCells(t)
	for i := range cells {
		part := float64(i) / 30
		cells[i].Temperature, cells[i].ScaledNLL = 1.0/3+1, cells[i].NLL*0.9
		cells[i].Sets = &score.ConformalSets{Randomised: score.PredictionSets{
			Threshold: part, Coverage: 0.95, Size: 1 + part}}
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
		cells  score.Cells
		header string
	}{
		"all": {setCells(t),
			"epistemic,temperature,nll_t,augrc,classwise_ece,smooth_ece," +
				"aps_threshold,aps_coverage,aps_size,sha256\n"},
		"mixed":     {mixed, "nll_t,augrc,classwise_ece,smooth_ece,aps_threshold,"},
		"no images": {randomCells(t), "epistemic,augrc,classwise_ece,smooth_ece,sha256\n"},
		"older": {older, "suite,samples,subset,seed,corruption,severity,images," +
			"nll,error,ece,gibbs_nll,brier,miss_nll,top2,top3,total,aleatoric,epistemic,sha256\n"},
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
				if got, found := again.Find(key, want.Condition(), false); !found ||
					!reflect.DeepEqual(got, want) {
					t.Errorf("cell is %+v (%v), want %+v", got, found, want)
				}
			}
		})
	}
}

// keptTables writes cells of two evaluations, one with registered metrics.
func keptTables(t *testing.T, directory, owner string) {
	t.Helper()
	store := testkit.Must(Open(directory, owner))(t)
	for i, cell := range setCells(t)[:3] {
		if i > 0 {
			cell.Custom = map[string]float64{"mine": 0.5 + float64(i), "other": 1}
		}
		for _, key := range []Key{{Suite: "fog,snow", Samples: 2}, {Suite: "clean", Samples: 2,
			Subset: 3}}[:1+i%2] {
			testkit.NoError(t, store.Add(key, cell))
		}
	}
}

// allTables returns everything that the files of a directory hold, as readers see it.
func allTables(directory, owner string) (string, error) {
	store, err := Open(directory, owner)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, row := range store.rows {
		further, sets := row.Cell.Further, row.Cell.Sets
		row.Cell.Further, row.Cell.Sets = nil, nil // pointers differ
		fmt.Fprintf(&b, "%+v %+v %+v\n", row, further, sets)
	}
	err = EachValue(directory, owner, func(evaluation []string, images, metric,
		value string) error {
		fmt.Fprintln(&b, evaluation, images, metric, value)
		return nil
	})
	return b.String(), err
}

var tables = []table{cellTable, binTable, customTable}

// No bit of a table can change without an error or harm.
func TestFlippedTablesAreRefused(t *testing.T) {
	directory := t.TempDir()
	keptTables(t, directory, testOwner)
	want := testkit.Must(allTables(directory, testOwner))(t)
	for _, table := range tables {
		path := filepath.Join(directory, table.name)
		sound := testkit.Must(os.ReadFile(path))(t)
		noticed := 0
		for at := range sound {
			damaged := bytes.Clone(sound)
			damaged[at] ^= 1 << (at % 8)
			testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
			got, err := allTables(directory, testOwner)
			if err == nil && got != want {
				t.Errorf("%s: a flip of byte %d, %q, changes what is read silently", table.name, at,
					sound[at])
			}
			if err != nil {
				noticed++
			}
		}
		if noticed < len(sound)*99/100 {
			t.Errorf("%s: %d of %d flips are noticed, want nearly all", table.name, noticed,
				len(sound))
		}
		testkit.NoError(t, os.WriteFile(path, sound, 0o644))
	}
}

// A table of another run, with other rows, cut anywhere or without its checksum is noticed.
func TestChangedTablesAreRefused(t *testing.T) {
	directory, other := t.TempDir(), t.TempDir()
	keptTables(t, directory, testOwner)
	keptTables(t, other, "c0 ff")
	for _, table := range tables {
		path := filepath.Join(directory, table.name)
		sound, foreign := lines(t, path), lines(t, filepath.Join(other, table.name))
		whole, last := strings.Join(sound, ""), len(sound)-1
		for name, text := range map[string]string{
			"an empty file":  "",
			"another table":  "a\n1\n",
			"another run":    strings.Join(foreign, ""),
			"a double row":   strings.Join(slices.Insert(slices.Clone(sound), 2, sound[1]), ""),
			"a missing row":  strings.Join(slices.Delete(slices.Clone(sound), 1, 2), ""),
			"no last row":    strings.Join(sound[:last], ""),
			"a cut row":      whole[:len(whole)-80],
			"a cut checksum": whole[:len(whole)-1-64+16],
			"no checksum":    whole[:len(whole)-1-64] + "\n",
			"garbage":        whole + "\x00garbage\n",
			"no column": strings.ReplaceAll(strings.ReplaceAll(whole, ",sha256", ""), ",\n",
				"\n"),
		} {
			testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			_, err := allTables(directory, testOwner)
			checkError(t, table.name+" with "+name, err,
				table.name+" is damaged, or of another run")
		}
		testkit.NoError(t, os.WriteFile(path, []byte(whole), 0o644))
	}
	_, err := Open(directory, "")
	checkError(t, "no owner", err, "no card.json")
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return slices.Collect(strings.Lines(string(data)))
}
