package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// verdictsIn returns the claims of a result with their outcomes.
func verdictsIn(t *testing.T, folder string) (outcomes []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Verdicts []struct{ Claim, Outcome string }
	}
	if err := json.Unmarshal(data, &result); err != nil || len(result.Verdicts) == 0 {
		t.Fatalf("%d verdicts, error %v", len(result.Verdicts), err)
	}
	for _, v := range result.Verdicts {
		outcomes = append(outcomes, v.Claim+": "+v.Outcome)
	}
	return outcomes
}

// A figure is drawn of restored runs, with the verdicts of the committed result. Nothing is trained,
// also without --no-train.
func TestFigureOfRestoredRuns(t *testing.T) {
	committed := filepath.Join("..", "..", "docs", "results", "demo")
	runs, out := t.TempDir(), t.TempDir()
	wantStatus(t, exitDone, "", "runs", "restore", filepath.Join(committed, "cards"), "--runs", runs)
	figure := func(arguments ...string) (stdout, stderr string, status int) {
		return execute(t, append([]string{"figure", "demo", "--scale", "quick", "--runs", runs}, arguments...)...)
	}
	_, stderr, status := figure("--no-train", "--cards", "--out", out)
	if status != exitDone || !strings.Contains(stderr, "restored from records, without weights: MAP seed 1, ") || !strings.Contains(stderr, "ECE, which needs the bins") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if got, want := verdictsIn(t, out), verdictsIn(t, committed); !slices.Equal(got, want) {
		t.Errorf("the verdicts are %q, want %q", got, want)
	}
	if stdout, stderr, status := figure("--out", out); status != exitDone || strings.Contains(stderr, "train ") || !strings.Contains(stdout, "claim") {
		t.Errorf("the figure without --no-train: status %d, %s", status, stderr)
	}
	if stdout, _, _ := figure("--plan"); strings.Count(stdout, "done, restored without weights") != 15 {
		t.Errorf("the plan is\n%s", stdout)
	}
	if _, stderr, status := figure("--no-train", "--images", "99"); status != exitFailed || !strings.Contains(stderr, "MAP seed 1: restored, its record lacks cells of 8 corruptions") ||
		!strings.Contains(stderr, "--scale quick` with the same settings and --replace-recorded") {
		t.Errorf("a figure of other cells: status %d, %s", status, stderr)
	}
	if _, stderr, status := figure("--images", "99"); status != exitUsage || !strings.Contains(stderr, "MAP seed 1") || !strings.Contains(stderr, "--replace-recorded") {
		t.Errorf("a training of other cells: status %d, %s", status, stderr)
	}
}

// A training of a restored run needs a flag, and says what it replaces.
func TestTrainOfRestoredRuns(t *testing.T) {
	runs, out, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	names := trainedTwice(t, runs)
	for _, arguments := range [][]string{
		{"compare", names[0], names[1], "--runs", runs, "--out", out, "--cards"}, {"runs", "restore", filepath.Join(out, "cards"), "--runs", elsewhere},
	} {
		wantStatus(t, exitDone, "", arguments...)
	}
	cells := filepath.Join(elsewhere, names[0], "cells.csv")
	before, err := os.ReadFile(cells)
	if err != nil {
		t.Fatal(err)
	}
	train := append(tinyRun(elsewhere), "--epochs", "1")
	for _, seeds := range [][]string{{"--seed", "1"}, {"--seeds", "1,2"}} {
		train := append(slices.Clone(train), seeds...)
		if seeds[0] == "--seeds" {
			train = slices.DeleteFunc(train, func(word string) bool { return word == "--seed" })
			train = slices.Delete(train, slices.Index(train, "0.32")+1, slices.Index(train, "0.32")+2)
		}
		wantTexts(t, exitUsage, []string{names[0], "--replace-recorded does so"}, train...)
	}
	if after, err := os.ReadFile(cells); err != nil || string(after) != string(before) {
		t.Errorf("a training that is refused changes the cells (%v)", err)
	}
	wantStatus(t, exitDone, "replaces card, epochs and cells of 1 run without weights", append(train, "--replace-recorded")...)
	if _, err := os.Stat(filepath.Join(elsewhere, names[0], "checkpoint", "latest.safetensors")); err != nil {
		t.Errorf("the run has no weights: %v", err)
	}
}
