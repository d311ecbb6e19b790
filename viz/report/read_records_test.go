package report

import (
	"path/filepath"
	"slices"
	"testing"
)

// Cards are found in a folder whose name is a pattern; a folder is none.
func TestFindRecords(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "map[1]")
	for _, name := range []string{"b.json", "a.json", "a.cells.csv", "notes.txt", "c.json/in.txt"} {
		writeText(t, filepath.Join(folder, name), name)
	}
	got, err := FindRecords(folder, filepath.Join(folder, "b.json"))
	want := []string{filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "b")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the records are %q, error %v, want %q", got, err, want)
	}
}

// A record has every file by its name in the run's directory, and where it was read.
func TestReadRecord(t *testing.T) {
	base := filepath.Join(t.TempDir(), "map-seed1")
	for name, ending := range map[string]string{
		"card.json": ".json", "train.jsonl": ".train.jsonl", "cells.csv": ".cells.csv",
		"bins.csv": ".bins.csv", "metrics.csv": ".metrics.csv", "outside.csv": ".outside.csv",
	} {
		writeText(t, base+ending, "of "+name)
	}
	record, err := ReadRecord(base)
	if err != nil || len(record) != 6 {
		t.Fatalf("%d files, error %v, want 6", len(record), err)
	}
	for name, file := range record {
		if string(file.Content) != "of "+name || filepath.Dir(file.Path) != filepath.Dir(base) {
			t.Errorf("%s is %q of %s", name, file.Content, file.Path)
		}
	}
	writeText(t, base+".json", `{"members": ["a", "b"]}`)
	if record, err = ReadRecord(base); err != nil || record["ensemble.json"].Path != base+".json" || record["card.json"].Content != nil {
		t.Errorf("the record of an ensemble is %q, error %v", record, err)
	}
}
