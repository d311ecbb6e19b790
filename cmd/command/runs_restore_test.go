package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cards of a comparison make runs elsewhere, which compare alike; a run that is there stays.
func TestRunsRestore(t *testing.T) {
	runs, out, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	names := trainedTwice(t, runs)
	wantStatus(t, exitDone, "", "evaluate", "--ensemble", names[0], names[1], "--samples", "2", "--images", "4", "--runs", runs)
	compare := func(runs string, arguments ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := execute(t, append([]string{"compare", names[0], names[1], "--ensembles", "--runs", runs}, arguments...)...)
		if status != exitDone {
			t.Fatal(stderr)
		}
		return stdout, stderr
	}
	want, _ := compare(runs)
	compare(runs, "--out", out, "--cards")
	restore := func(state string, count int) {
		t.Helper()
		stdout, stderr, status := execute(t, "runs", "restore", filepath.Join(out, "cards"), "--runs", elsewhere)
		if status != exitDone || strings.Count(stdout, state) != count {
			t.Errorf("status %d, want %d runs %s:\n%s%s", status, count, state, stdout, stderr)
		}
	}
	restore("restored", 3)
	restore("kept", 3)
	if got, _ := compare(elsewhere); got != want {
		t.Errorf("the restored runs compare as\n%s\nwant\n%s", got, want)
	}
	for _, words := range [][]string{{names[0]}, {"--ensemble", names[0], names[1]}} {
		arguments := append([]string{"evaluate", "--samples", "2", "--images", "4"}, words...)
		recorded, _, _ := execute(t, append(arguments, "--runs", runs)...)
		stdout, stderr, status := execute(t, append(arguments, "--runs", elsewhere)...)
		recorded = strings.ReplaceAll(recorded, runs, elsewhere)
		if status != exitDone || stdout != recorded || !strings.Contains(stderr, "all there") {
			t.Errorf("%q of restored runs: status %d\n%s%s\nwant\n%s", words, status, stdout, stderr, recorded)
		}
	}
	stdout, _, _ := execute(t, "runs", "--runs", elsewhere)
	if strings.Count(stdout, "evaluated on first8, without weights") != 2 {
		t.Errorf("the list of restored runs is\n%s", stdout)
	}
	wantStatus(t, exitDone, "complete", "runs", "watch", names[0], "--runs", elsewhere)
	if err := os.Remove(filepath.Join(elsewhere, names[0], "bins.csv")); err != nil {
		t.Fatal(err)
	}
	got, stderr := compare(elsewhere)
	if !strings.Contains(got, "MeanECE") || !strings.Contains(stderr, "there are no bins of "+names[0]) {
		t.Errorf("without bins the comparison is\n%s%s", got, stderr)
	}
	compare(elsewhere, "--out", t.TempDir())
	if _, stderr, status := execute(t, "evaluate", names[0], "--images", "3", "--samples", "100000", "--runs", elsewhere); status == exitDone ||
		!strings.Contains(stderr, "no weights") || strings.Contains(stderr, "all there") || strings.Contains(stderr, "about") {
		t.Errorf("an evaluation of a restored run: status %d, %s", status, stderr)
	}
}

// What is no record is refused with the cure.
func TestRunsRestoreRefuses(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte("of a person"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"config": {}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ argument, want string }{
		{folder, "has no record of a run"}, {text, "isn't the card of a record"}, {filepath.Join(folder, "missing.json"), "give the .json file"}, {other, "other.json"},
	} {
		_, stderr, status := execute(t, "runs", "restore", c.argument, "--runs", t.TempDir())
		if status == exitDone || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s, want %q", c.argument, status, stderr, c.want)
		}
	}
	wantStatus(t, exitUsage, "no record is given", "runs", "restore")
}

// A bad record of a folder doesn't stop the others, and the error names its file.
func TestRunsRestoreGoesOn(t *testing.T) {
	cards := filepath.Join("..", "..", "docs", "results", "earlier", "figure-03-smoke", "cards")
	folder := filepath.Join(t.TempDir(), "cards[1]")
	if err := os.CopyFS(folder, os.DirFS(cards)); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(folder, "m16-seed1.cells.csv")
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(folder, "m16-seed2.cells.csv")
	if err := os.WriteFile(damaged, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	stdout, stderr, status := execute(t, "runs", "restore", folder, "--runs", runs)
	if status != exitFailed || strings.Count(stdout, "restored ") != 2 || !strings.Contains(stderr, "2 of 4 records aren't restored") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	for _, want := range []string{filepath.Join(folder, "m16-seed1.json") + " isn't restored", "cells.csv lacks", damaged + " is damaged in line 1"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the notes are\n%s\nwant %q", stderr, want)
		}
	}
	stdout, stderr, status = execute(t, "runs", "restore", cards, "--runs", runs)
	if status != exitDone || strings.Count(stdout, "restored ") != 2 || strings.Count(stdout, "kept ") != 2 {
		t.Errorf("the complete records: status %d, %s%s", status, stdout, stderr)
	}
}

// All committed records make runs.
func TestCommittedRecordsRestore(t *testing.T) {
	results := filepath.Join("..", "..", "docs", "results")
	folders, err := filepath.Glob(filepath.Join(results, "*", "cards"))
	earlier, earlierErr := filepath.Glob(filepath.Join(results, "earlier", "*", "cards"))
	if folders = append(folders, earlier...); err != nil || earlierErr != nil || len(folders) < 10 {
		t.Fatalf("%d folders of records, errors %v and %v", len(folders), err, earlierErr)
	}
	for _, folder := range folders {
		cards, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := execute(t, "runs", "restore", folder, "--runs", t.TempDir())
		if status != exitDone || strings.Count(stdout, "restored ") != len(cards) {
			t.Errorf("%s: status %d, %d records\n%s%s", folder, status, len(cards), stdout, stderr)
		}
	}
}

// The committed tables of the benchmark are those of its committed records.
func TestBenchmarkFollowsFromItsRecords(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "results", "earlier", "benchmark")
	want, err := os.ReadFile(filepath.Join(folder, "tables.md"))
	if err != nil {
		t.Fatal(err)
	}
	runs, out := t.TempDir(), t.TempDir()
	wantStatus(t, exitDone, "", "runs", "restore", filepath.Join(folder, "cards"), "--runs", runs)
	directories, err := filepath.Glob(filepath.Join(runs, "*"))
	if err != nil {
		t.Fatal(err)
	}
	arguments := append([]string{"compare", "--suite", "all19", "--images", "1000", "--samples", "16", "--ensembles", "--out", out, "--runs", runs,
		"--label", "09ca=MAP + AugMix", "--label", "3589=post hoc + AugMix", "--label", "0f6b=post hoc",
		"--label", "fb1e=node-BNN + AugMix"}, directories...)
	wantStatus(t, exitDone, "", arguments...)
	got, err := os.ReadFile(filepath.Join(out, "tables.md"))
	if err != nil || string(got) != string(want) {
		t.Errorf("the records give\n%s\nwant\n%s (%v)", got, want, err)
	}
}
