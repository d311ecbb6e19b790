package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// printed executes a command with --json and returns what it prints as data.
func printed[T any](t *testing.T, status int, args ...string) (value T) {
	t.Helper()
	stdout := wantStatus(t, status, "", append(slices.Clone(args), "--json")...)
	if err := json.Unmarshal([]byte(stdout), &value); err != nil {
		t.Fatalf("%q prints no such data: %v\n%s", args, err, stdout)
	}
	return value
}

// evaluateJSON evaluates with flags and returns what is printed as data.
func evaluateJSON(t *testing.T, args ...string) (result evaluated) {
	t.Helper()
	return printed[evaluated](t, exitDone, append([]string{"evaluate", "--samples", "2", "--images",
		"4"}, args...)...)
}

// The samples of an ensemble are those of its members, which have their weights beside their names.
func TestEvaluateEnsemble(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	got := evaluateJSON(t, "--ensemble", names[1], names[0], "--runs", runs)
	for _, name := range names {
		if own := evaluateJSON(t, name, "--runs", runs); !slices.Contains(got.Members, own.member) {
			t.Errorf("members are %+v, want %+v among them", got.Members, own.member)
		}
	}
	if clean := got.Cells[0]; len(got.Cells) != 41 || clean.Samples != 4 ||
		got.Levels.NLL[0] != clean.NLL {
		t.Errorf("%d cells, the clean one %+v: want 41 and 4 samples", len(got.Cells), clean)
	}
	kept := "read     " + filepath.Join(runs, got.Run, "cells.csv")
	wantTexts(t, exitDone, []string{kept, "gaussian noise"}, "evaluate", "--ensemble", names[0],
		names[1], "--samples", "2", "--images", "4", "--runs", runs)
}

// A list of corruptions is evaluated as a suite is, and the predictions are saved.
func TestEvaluateSavesPredictions(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	folder := filepath.Join(t.TempDir(), "predictions")
	got := evaluateJSON(t, names[0], "--runs", runs, "--corruptions", "fog,contrast", "--save",
		folder)
	if len(got.Cells) != 11 {
		t.Errorf("%d cells, want 11", len(got.Cells))
	}
	saved := testkit.Must(score.ReadSaved(filepath.Join(folder, "contrast-5.npz")))(t)
	if cell, err := saved.Cell(); err != nil || math.Abs(cell.NLL-got.Cells[10].NLL) > 1e-6 {
		t.Errorf("the saved predictions have the NLL %g (%v), want %g", cell.NLL, err,
			got.Cells[10].NLL)
	}
	wantTexts(t, exitDone, []string{"contrast  ", filepath.Join(folder, "*.npz") + "   11 files"},
		"evaluate", names[0], "--runs", runs, "--samples", "2", "--images", "4", "--corruptions",
		"fog, contrast", "--save", folder)
	for _, flags := range [][]string{{"--save-samples"}, {"--suite", "all19", "--corruptions",
		"fog"}, {"--corruptions", "fogg,snow"}} {
		wantStatus(t, exitUsage, "",
			append([]string{"evaluate", names[0], "--runs", runs, "--samples", "2"}, flags...)...)
	}
}

// Each kept checkpoint has weights and results of its own; the last epoch is the run as it is.
func TestEvaluateKeptCheckpoint(t *testing.T) {
	runs := t.TempDir()
	card := printed[member](t, exitDone, append(tinyRun(runs), "--epochs", "3", "--keep-every",
		"1")...)
	end := evaluateJSON(t, card.Run, "--runs", runs)
	if last := evaluateJSON(t, card.Run, "--epoch", "3", "--runs",
		runs); last.Weights != card.Weights || !reflect.DeepEqual(last.Levels, end.Levels) {
		t.Errorf("epoch 3 of 3 has weights %s and levels %v, want those of the run, %s and %v",
			last.Weights, last.Levels, card.Weights, end.Levels)
	}
	first, second := evaluateJSON(t, card.Run, "--epoch", "1", "--runs", runs),
		evaluateJSON(t, card.Run, "--epoch", "2", "--runs", runs)
	if first.Weights == second.Weights || first.Weights == end.Weights ||
		first.Cells[0].NLL == second.Cells[0].NLL || first.Cells[0].NLL == end.Cells[0].NLL {
		t.Errorf("epochs 1, 2 and 3 have NLL %g, %g and %g, want others for other weights",
			first.Cells[0].NLL, second.Cells[0].NLL, end.Cells[0].NLL)
	}
	wantStatus(t, exitDone, "", "compare", card.Run, "--runs", runs)
	wantStatus(t, exitUsage, "but of [1 2 3] and the last", "evaluate", card.Run, "--epoch", "7",
		"--runs", runs)
}

// Several runs get the cells that they lack; what is no run is left out. The plan comes first.
func TestEvaluateSeveral(t *testing.T) {
	addBlank(t)
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	testkit.NoError(t, os.Mkdir(filepath.Join(runs, "empty"), 0o755))
	args := []string{"evaluate", filepath.Join(runs, names[0]), filepath.Join(runs, names[1]),
		filepath.Join(runs, "empty"),
		"--corruptions", "fog,snow", "--samples", "2", "--images", "4", "--runs", runs}
	const plan = "plan     2 runs, 2 corruptions x 5 levels + clean, 4 images, 2 samples: 22 cells"
	wantStatus(t, exitDone, "", "runs", "name", names[0], "first", "--runs", runs)
	wantTexts(t, exitDone, []string{plan, "empty holds no run", "first  ", names[1] + "  "},
		args...)
	without := wantStatus(t, exitDone, "   first, "+names[1]+"\n", "evaluate", names[0], names[1],
		"--corruptions", "fog", "--samples", "2", "--runs", runs)
	if strings.Count(without, "not measured: ") != 1 {
		t.Errorf("want one line on the temperatures that both runs lack:\n%s", without)
	}
	wantTexts(t, exitDone, []string{plan + ", all there\n", "!" + names[0] + "  "}, args...)
	results := printed[[]evaluated](t, exitDone, args...)
	if len(results) != 2 || len(results[1].Cells) != 11 || results[1].Weights == "" {
		t.Errorf("the data are %+v, want two runs of 11 cells with their weights", results)
	}
	rest := []string{"evaluate", names[0], filepath.Join(runs, "empty"), "--samples", "2",
		"--images", "4", "--runs", runs}
	for _, further := range []string{"--clean", "--suite=clean", "--corruptions=fog",
		"--outside=blank"} {
		if results := printed[[]evaluated](t, exitDone, append(rest, further)...); len(
			results) != 1 || results[0].Run != names[0] {
			t.Errorf("%s with one run left out: %+v, want a list of one", further, results)
		}
	}
}

// The plan names the samples that the runs take, one for a network without latents, and one of a
// thing is written without an s in every text.
func TestEvaluatePlansTheSamplesOfTheRuns(t *testing.T) {
	runs := t.TempDir()
	bayesian := cardOf(t, append(tinyRun(runs), "--no-test")...).Run
	point := cardOf(t, append(tinyOrdinaryRun(runs), "--no-test")...).Run
	for _, c := range []struct {
		runs []string
		plan string
	}{
		{[]string{point}, "plan     1 corruption x 5 levels + clean, 1 image, 1 sample: 6 cells"},
		{[]string{bayesian}, "plan     1 corruption x 5 levels + clean, 1 image, 2 samples: 6 " +
			"cells"},
		{[]string{point, bayesian}, "plan     2 runs, 1 corruption x 5 levels + clean, 1 image, " +
			"1 to 2 samples: 12 cells, all there"},
	} {
		arguments := append([]string{"evaluate", "--corruptions", "fog", "--samples", "2",
			"--images", "1", "--runs", runs}, c.runs...)
		wantStatus(t, exitDone, c.plan, arguments...)
	}
	wantTexts(t, exitDone,
		[]string{", seed 1\n", "tested   fog, 1 corruption, 1 sample, 1 image\n"}, "compare", point,
		"--runs", runs)
	wantStatus(t, exitDone, "part clean, 1 image, 1 sample", "evaluate", point, "--clean",
		"--images", "1", "--samples", "2", "--runs", runs)
}

// A training ends with a test on clean images, which the list of runs shows. It's in the cells of
// the run, and the card is what it was.
func TestTrainingEndsWithATest(t *testing.T) {
	runs := t.TempDir()
	wantTexts(t, exitDone, []string{"!tested"}, append(tinyRun(runs), "--no-test")...)
	run := filepath.Join(runs, onlyRun(t, runs))
	before := testkit.Must(os.ReadFile(filepath.Join(run, "card.json")))(t)
	stdout, stderr, status := execute(t, tinyRun(runs)...)
	if status != exitDone || !strings.Contains(stdout, "(on all 16 clean test images, 8 samples)") {
		t.Errorf("status %d, %s%s, want the test", status, stdout, stderr)
	}
	if after, err := os.ReadFile(filepath.Join(run, "card.json")); err != nil ||
		string(after) != string(before) {
		t.Errorf("the card is now\n%s(%v), want\n%s", after, err, before)
	}
	tested := strings.SplitAfter(stdout, "error ")
	percent, _, _ := strings.Cut(tested[len(tested)-1], " ")
	if list, _, _ := execute(t, "runs", "--runs", runs); !strings.Contains(list, percent) {
		t.Errorf("the list lacks the error %s:\n%s", percent, list)
	}
	wantStatus(t, exitDone, "part clean, 8 images, 2 samples", "evaluate", filepath.Base(run),
		"--clean", "--images", "8", "--samples", "2", "--runs", runs)
}

func TestEvaluateRefuses(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	for _, test := range []struct {
		args, want string
		status     int
	}{
		{"", "nothing given, it takes RUN...", exitUsage},
		{names[0] + " --clean --suite all19", "--clean and --suite exclude each other", exitUsage},
		{"x --part validation --corruptions fog", "--part and --corruptions exclude", exitUsage},
		{"x --part clean_labels --textures frost", "--part and --textures exclude", exitUsage},
		{"x --clean --textures frost", "--clean and --textures exclude", exitUsage},
		{"x --corrupted cifar10-c --textures frost", "and --textures exclude", exitUsage},
		{"x --textures frost", "leave the flag out, or choose --suite all19", exitUsage},
		{"x --latents ones --samples 8", "have one sample, not 8: leave --samples", exitUsage},
		{names[0] + " " + names[1] + " --samples 2 --images 17", "no run is left", exitFailed},
		{"--ensemble " + names[0], "1 run makes no ensemble", exitUsage},
		{"--ensemble " + names[0] + " " + names[0], "is in the ensemble twice", exitUsage},
		{names[0] + " " + names[1] + " --suite al19", `(did you mean "all19"?)`, exitUsage},
		{names[0] + " --epoch -1", "--epoch is -1: give 1 or more", exitUsage},
		{names[0] + " --epoch 5", "(KeepEvery)", exitUsage},
		{names[0] + " --test nosuch", "unknown data set \"nosuch\"", exitUsage},
		{names[0] + " --outside nosuch", "unknown data set \"nosuch\"", exitUsage},
		{names[0] + " --corrupted nosuch", "file does not exist: give a folder", exitUsage},
		{names[0] + " --corruptions frost --textures nosuch", "textures: nosuch/frost1.png " +
			"doesn't exist: give the folder", exitUsage},
		{names[0] + " --images 17", "has 16", exitUsage},
		{names[0] + " --samples 0", "--samples is 0: give 1 or more, or leave it out", exitUsage},
	} {
		stdout, stderr, status := execute(t, append([]string{"evaluate", "--runs", runs},
			strings.Fields(test.args)...)...)
		if status != test.status || !strings.Contains(stderr, test.want) || stdout != "" {
			t.Errorf("evaluate %s: status %d, %q and %q on standard output, want %d and %q",
				test.args, status, stderr, stdout, test.status, test.want)
		}
	}
}
