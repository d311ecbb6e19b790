package nbbnn

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// firstLines returns a function that keeps the first lines of a text.
func firstLines(count int) func(text string) string {
	return func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		return strings.Join(lines[:count], "")
	}
}

// without returns a record without a file.
func without(record Record, name string) Record {
	record = maps.Clone(record)
	delete(record, name)
	return record
}

// A record must have all that its card lists. What lacks something is named by the file that was
// read, and the complete record is restored after it.
func TestRestoreNeedsAllThatTheCardLists(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	_, runs, ensemble := recordedRuns(t, evaluation)
	if _, err := runs[0].Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 3}, nil); err != nil {
		t.Fatal(err)
	}
	run, members := recordOf(t, runs[0].Directory()), recordOf(t, ensemble.Directory())
	elsewhere := t.TempDir()
	for name, c := range map[string]struct {
		record Record
		want   []string
	}{
		"no cells":                  {without(run, "cells.csv"), []string{"records/of.card.json", "cells.csv lacks 6 of 6 cells"}},
		"half of the cells":         {changed(run, "cells.csv", firstLines(1+20)), []string{"records/of.card.json", "records/of.cells.csv lacks 6 of 6 cells on fog"}},
		"no cell of the evaluation": {changed(run, "cells.csv", firstLines(1+41)), []string{"lacks 6 of 6 cells on fog with 2 samples, 3 images and seed 0"}},
		"no last cell":              {changed(run, "cells.csv", firstLines(1+41+5)), []string{"lacks 1 of 6 cells on fog"}},
		"half of the bins":          {changed(run, "bins.csv", halfOfTheBins), []string{"records/of.bins.csv lacks the bins of"}},
		"no last epoch":             {changed(run, "train.jsonl", firstLines(1)), []string{"records/of.card.json lists 1 epoch, and records/of.train.jsonl has 0"}},
		"no epochs":                 {without(run, "train.jsonl"), []string{"records/of.card.json lists 1 epoch, and train.jsonl has 0"}},
		"an ensemble without cells": {without(members, "cells.csv"), []string{"records/of.ensemble.json", "cells.csv has no cells"}},
		"half of an ensemble":       {changed(members, "cells.csv", firstLines(1+20)), []string{"records/of.ensemble.json", "records/of.cells.csv lacks 21 of 41 cells"}},
	} {
		_, err := Restore(elsewhere, c.record)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), elsewhere) {
				t.Errorf("%s: error %v, want one with %q and without the place of the run", name, err, want)
			}
		}
	}
	for _, record := range []Record{run, members, without(run, "bins.csv")} {
		if _, err := Restore(t.TempDir(), record); err != nil {
			t.Errorf("a complete record: %v", err)
		}
	}
	for _, record := range []Record{run, members} {
		if _, err := Restore(elsewhere, record); err != nil {
			t.Errorf("a complete record after incomplete ones: %v", err)
		}
	}
}

// halfOfTheBins cuts bins.csv between the bins of two cells.
func halfOfTheBins(text string) string {
	at := strings.Index(text, ",fog,3,")
	return text[:1+strings.LastIndex(text[:at], "\n")]
}

// Registered metrics and tests on images from outside come back.
func TestRestoreOfFurtherResults(t *testing.T) {
	_, runs, _ := recordedRuns(t, Evaluation{Samples: 2, Images: 4})
	directory := runs[0].Directory()
	owner, err := runs[0].owner()
	if err != nil {
		t.Fatal(err)
	}
	store, err := score.OpenStore(directory, owner)
	if err != nil {
		t.Fatal(err)
	}
	key, clean := store.Keys()[0], score.Condition{Corruption: score.Clean}
	cell, _ := store.FindRecord(key, clean)
	cell.Custom = map[string]float64{"of another program": 0.25}
	if err := store.Add(key, cell); err != nil {
		t.Fatal(err)
	}
	test := score.Outside{
		Key: score.Key{Suite: score.Clean, Samples: 2}, Data: "cifar100", Hash: "ab", Inside: 4, Images: 4,
		Detections: []score.Detection{{Uncertainty: score.Entropy, AUROC: 0.75, FPR95: 0.5}},
	}
	if err := score.AddOutside(directory, owner, test); err != nil {
		t.Fatal(err)
	}
	path, err := Restore(t.TempDir(), recordOf(t, directory))
	if err != nil {
		t.Fatal(err)
	}
	if store, err = score.OpenStore(path, owner); err != nil {
		t.Fatal(err)
	}
	if got, found := store.FindRecord(key, clean); !found || !reflect.DeepEqual(got.Custom, cell.Custom) {
		t.Errorf("the registered metrics are %v, want %v", got.Custom, cell.Custom)
	}
	if got, err := score.ReadOutside(path, owner); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Detections, test.Detections) {
		t.Errorf("the tests on images from outside are %+v, error %v, want %+v", got, err, test)
	}
	if _, err := os.Stat(filepath.Join(path, "metrics.csv")); err != nil {
		t.Error(err)
	}
}
