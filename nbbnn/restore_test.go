package nbbnn

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordOf reads the files of a run or an ensemble that records have, without some.
func recordOf(t *testing.T, directory string, without ...string) Record {
	t.Helper()
	record := Record{}
	for _, name := range recordedFiles {
		if content, err := os.ReadFile(filepath.Join(directory, name)); err == nil && !slices.Contains(without, name) {
			record[name] = RecordFile{Path: "records/of." + name, Content: content}
		}
	}
	return record
}

// changed returns a record with a change of the text of one of its files.
func changed(record Record, name string, change func(text string) string) Record {
	record = maps.Clone(record)
	file := record[name]
	file.Content = []byte(change(string(file.Content)))
	record[name] = file
	return record
}

// recordedRuns trains and tests two runs and their ensemble.
func recordedRuns(t *testing.T, evaluation Evaluation) (directory string, runs []*Run, ensemble *Ensemble) {
	t.Helper()
	directory = t.TempDir()
	config := briefConfig()
	for seed := range uint64(2) {
		config.Seed = seed + 1
		run := trainedRun(t, directory, config)
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		runs = append(runs, run)
	}
	ensemble = testkit.Must(OpenEnsemble(directory, runs...))(t)
	testkit.Must(ensemble.Evaluate(t.Context(), evaluation, nil))(t)
	return directory, runs, ensemble
}

// compareAll compares runs and their ensembles.
func compareAll(t *testing.T, directory string, runs []*Run, evaluation Evaluation) score.Comparison {
	t.Helper()
	compared := testkit.Must(Compare(runs, evaluation, ""))(t)
	all, missing, err := WithEnsembles(directory, compared, runs, evaluation)
	if err != nil || len(missing) > 0 {
		t.Fatalf("ensembles of %q are missing, error %v", missing, err)
	}
	return all
}

// Restored runs and ensembles compare as those that were recorded; without bins they lack the ECE of
// several cells alone. They have no weights, and say so.
func TestRestore(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	directory, runs, ensemble := recordedRuns(t, evaluation)
	want := compareAll(t, directory, runs, evaluation)
	for _, without := range []string{"", "bins.csv"} {
		elsewhere := t.TempDir()
		var restored []*Run
		for _, run := range runs {
			path, err := Restore(elsewhere, recordOf(t, run.Directory(), without))
			if err != nil || filepath.Base(path) != filepath.Base(run.Directory()) {
				t.Fatalf("run %s was restored as %s, error %v", run.Directory(), path, err)
			}
			restored = append(restored, openRun(t, elsewhere, run.Config()))
		}
		testkit.Must(Restore(elsewhere, recordOf(t, ensemble.Directory(), without)))(t)
		got := compareAll(t, elsewhere, restored, evaluation)
		for m, method := range want.Methods {
			for s, cells := range method.Cells {
				checkRestored(t, cells, got.Methods[m].Cells[s], without == "")
			}
		}
		cells, err := restored[0].Evaluate(t.Context(), evaluation, nil)
		if err != nil || len(cells) != len(want.Methods[0].Cells[0]) {
			t.Errorf("an evaluation that was recorded: %d cells, error %v", len(cells), err)
		}
		_, err = restored[0].Evaluate(t.Context(), Evaluation{Samples: 2, Images: 3}, nil)
		if err == nil || !strings.Contains(err.Error(), "has recorded results and no weights") {
			t.Errorf("an evaluation of a restored run: error %v", err)
		}
	}
}

// Damage in a restored run is told, in place of the weights that it lacks.
func TestDamageInARestoredRun(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	_, runs, _ := recordedRuns(t, evaluation)
	elsewhere := t.TempDir()
	path := testkit.Must(Restore(elsewhere, recordOf(t, runs[0].Directory())))(t)
	record := strings.Replace(string(recordOf(t, path)["cells.csv"].Content), "clean", "other", 1)
	testkit.NoError(t, os.WriteFile(filepath.Join(path, "cells.csv"), []byte(record), 0o644))
	_, err := openRun(t, elsewhere, runs[0].Config()).Evaluate(t.Context(), evaluation, nil)
	if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "restore its record again") || strings.Contains(err.Error(), "nbbnn evaluate") {
		t.Errorf("error %v, want one about the damage with a cure that needs no weights", err)
	}
}

// checkRestored compares restored cells with what they were recorded of.
func checkRestored(t *testing.T, want, got score.Cells, binned bool) {
	t.Helper()
	if got.Binned() != binned || len(got) != len(want) {
		t.Fatalf("%d cells with bins %t, want %d with bins %t", len(got), got.Binned(), len(want), binned)
	}
	for i := range want {
		if got[i].NLL != want[i].NLL || got[i].ECE != want[i].ECE {
			t.Errorf("cell %d has the NLL %g and the ECE %g, want %g and %g", i, got[i].NLL, got[i].ECE, want[i].NLL, want[i].ECE)
		}
	}
	table, err := score.SummariseLevels("first8", got)
	if err != nil || (table.ECE != nil) != binned || table.MeanECE[1].N != 1 {
		t.Errorf("with bins %t the ECE of levels is %v and the mean ECE %v, error %v", binned, table.ECE, table.MeanECE, err)
	}
}

// A restored run trains again and then has the weights that were recorded.
func TestRestoredRunTrainsAgain(t *testing.T) {
	config := briefConfig()
	run := openRun(t, t.TempDir(), config)
	want := trainedCard(t, run)
	elsewhere := t.TempDir()
	testkit.Must(Restore(elsewhere, recordOf(t, run.Directory())))(t)
	restored := openRun(t, elsewhere, config)
	if run.Recorded() || !restored.Recorded() {
		t.Errorf("the trained run is recorded %t, the restored one %t", run.Recorded(), restored.Recorded())
	}
	before := recordOf(t, restored.Directory())
	if err := restored.Train(t.Context(), nil); !errors.Is(err, ErrRecorded) {
		t.Errorf("a training of a restored run: error %v, want ErrRecorded", err)
	}
	if after := recordOf(t, restored.Directory()); !reflect.DeepEqual(after, before) {
		t.Error("a training that is refused changes the results")
	}
	testkit.NoError(t, restored.TrainWith(t.Context(), TrainOptions{ReplaceRecorded: true}))
	if got := trainedCard(t, restored); got.WeightsSHA256 != want.WeightsSHA256 {
		t.Errorf("the weights are %.12s, want %.12s", got.WeightsSHA256, want.WeightsSHA256)
	}
}

// What is there stays, and a damaged or mixed record leaves nothing.
func TestRestoreRefuses(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	directory, runs, ensemble := recordedRuns(t, evaluation)
	for _, path := range []string{runs[0].Directory(), ensemble.Directory()} {
		if _, err := Restore(directory, recordOf(t, path)); !errors.Is(err, ErrThere) {
			t.Errorf("a record of %s, which is there: error %v, want ErrThere", path, err)
		}
	}
	damaged := func(name, from, to string) Record {
		record := recordOf(t, runs[0].Directory())
		return changed(record, name, func(text string) string { return strings.Replace(text, from, to, 1) })
	}
	mixed := recordOf(t, runs[0].Directory())
	mixed["cells.csv"] = recordOf(t, runs[1].Directory())["cells.csv"]
	outside := recordOf(t, runs[0].Directory())
	outside["outside.csv"] = RecordFile{Content: []byte("damaged")}
	for name, record := range map[string]Record{
		"a changed card":           damaged("card.json", `"seed": 1`, `"seed": 3`),
		"a changed list of tests":  outside,
		"a changed history":        damaged("train.jsonl", `"epoch":1`, `"epoch":2`),
		"changed cells":            damaged("cells.csv", "clean", "other"),
		"changed bins":             damaged("bins.csv", "clean", "other"),
		"cells of another run":     mixed,
		"no card":                  {"cells.csv": {}},
		"a file elsewhere":         {"card.json": mixed["card.json"], "../cells.csv": mixed["cells.csv"]},
		"a list without members":   {"ensemble.json": {Content: []byte("{}")}},
		"an ensemble's other name": {"ensemble.json": {Content: []byte(`{"members": ["a"], "weights_sha256": [""]}`)}},
	} {
		elsewhere := t.TempDir()
		if _, err := Restore(elsewhere, record); err == nil || strings.Contains(err.Error(), elsewhere) || strings.Contains(err.Error(), "evaluate") {
			t.Errorf("%s: error %v, want one about the record, whose run can't be evaluated", name, err)
		}
		if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
			t.Errorf("%s: %v was left, error %v", name, left, err)
		}
	}
}

// A file, a link or a folder with something in it stays at the place of a run.
func TestRestoreLeavesWhatIsThere(t *testing.T) {
	config := briefConfig()
	run := trainedRun(t, t.TempDir(), config)
	record, name := recordOf(t, run.Directory()), filepath.Base(run.Directory())
	for kind, make := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink(filepath.Join(t.TempDir(), "missing"), path) },
		"a folder": func(path string) error {
			return os.MkdirAll(filepath.Join(path, "checkpoint", "latest.safetensors"), 0o755)
		},
		"a file": func(path string) error { return os.WriteFile(path, []byte("of a person"), 0o644) },
	} {
		elsewhere := t.TempDir()
		path := filepath.Join(elsewhere, name)
		if err := make(path); err != nil {
			t.Skipf("%s can't be made: %v", kind, err)
		}
		if _, err := Restore(elsewhere, record); err == nil {
			t.Errorf("%s in the way: no error", kind)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s in the way is gone: %v", kind, err)
		}
	}
	elsewhere := t.TempDir()
	testkit.NoError(t, os.Mkdir(filepath.Join(elsewhere, name), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(elsewhere, name, "cells.csv"), []byte("of a killed call"), 0o644))
	if _, err := Restore(elsewhere, record); err != nil {
		t.Errorf("what a killed call left in the way: %v", err)
	}
}

// Of calls that restore one run at once, one does, and the others find it or its lock.
func TestRestoreAtOnce(t *testing.T) {
	config := briefConfig()
	run := trainedRun(t, t.TempDir(), config)
	record := recordOf(t, run.Directory())
	for range 20 {
		elsewhere := t.TempDir()
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { _, errs[i] = Restore(elsewhere, record) })
		}
		group.Wait()
		restored := 0
		for _, err := range errs {
			switch {
			case err == nil:
				restored++
			case !errors.Is(err, ErrThere) && !errors.Is(err, ErrLocked):
				t.Errorf("error %v, want %v or %v", err, ErrThere, ErrLocked)
			}
		}
		if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 1 || restored != 1 {
			t.Fatalf("%d calls restored the run, and %v is there (%v)", restored, entries, err)
		}
		if history, err := openRun(t, elsewhere, config).History(); err != nil || len(history) != 2 {
			t.Errorf("the restored run has %d lines of history (%v), want 2", len(history), err)
		}
	}
}

// While a call restores a run, another one says who does.
func TestRestoreOfALockedRun(t *testing.T) {
	config := briefConfig()
	run := trainedRun(t, t.TempDir(), config)
	elsewhere := t.TempDir()
	restored := openRun(t, elsewhere, config)
	unlock := testkit.Must(restored.lock())(t)
	_, err := Restore(elsewhere, recordOf(t, run.Directory()))
	unlock()
	if !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want %v", err, ErrLocked)
	}
}

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
	testkit.Must(runs[0].Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 3}, nil))(t)
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
	owner := testkit.Must(runs[0].owner())(t)
	store := testkit.Must(score.OpenStore(directory, owner))(t)
	key, clean := store.Keys()[0], score.Condition{Corruption: score.Clean}
	cell, _ := store.FindRecord(key, clean)
	cell.Custom = map[string]float64{"of another program": 0.25}
	testkit.NoError(t, store.Add(key, cell))
	test := score.Outside{
		Key: score.Key{Suite: score.Clean, Samples: 2}, Data: "cifar100", Hash: "ab", Inside: 4, Images: 4,
		Detections: []score.Detection{{Uncertainty: score.Entropy, AUROC: 0.75, FPR95: 0.5}},
	}
	testkit.NoError(t, score.AddOutside(directory, owner, test))
	path := testkit.Must(Restore(t.TempDir(), recordOf(t, directory)))(t)
	store = testkit.Must(score.OpenStore(path, owner))(t)
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
