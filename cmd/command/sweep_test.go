package command

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/testkit"
)

// planTiny plans gamma 0 and 2 with the seeds 1 and 2 in a folder, and returns the manifest.
func planTiny(t *testing.T, folder string, more ...string) string {
	t.Helper()
	path := filepath.Join(folder, "m.json")
	args := append([]string{
		"sweep", "plan", "--network", "allcnnc", "--width", "2", "--data", "shapes10", "--train",
		"32", "--test", "16", "--epochs", "2",
		"--batch", "8", "--samples", "1", "--init-std", "0.32", "--gamma", "0,2", "--seeds", "1..2",
		"--suite", "fog", "--evaluation-samples", "2", "--evaluation-images", "4", "--manifest",
		path,
	}, more...)
	wantStatus(t, exitDone, "", args...)
	return path
}

// wantStatus runs a command line and checks its exit status and that its output has a text.
func wantStatus(t *testing.T, want int, text string, args ...string) (stdout string) {
	t.Helper()
	return wantTexts(t, want, []string{text}, args...)
}

// wantTexts is wantStatus with several texts; one that begins with ! must not be printed.
func wantTexts(t *testing.T, want int, texts []string, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr, status := execute(t, args...)
	for _, text := range texts {
		text, isAbsent := strings.CutPrefix(text, "!")
		if status != want || strings.Contains(stdout+stderr, text) == isAbsent {
			t.Errorf("%s: exit status %d, want %d and %q (%t):\n%s%s", strings.Join(args, " "),
				status, want, text, !isAbsent, stdout, stderr)
		}
	}
	return stdout
}

// wantLine checks that a command prints nothing but one line with a text, on standard error.
func wantLine(t *testing.T, want int, text string, args ...string) {
	t.Helper()
	stdout, stderr, status := execute(t, args...)
	if status != want || stdout != "" || !strings.Contains(stderr, text) ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("%s: exit status %d, want %d and one line with %q:\n%s%s", strings.Join(args, " "),
			status, want, text, stdout, stderr)
	}
}

// A plan has the samples that its points will take: one for the weights of MAP.
func TestSweepPlansTheSamplesOfItsPoints(t *testing.T) {
	arguments := []string{"sweep", "plan", "--data", "shapes10", "--method", "map", "--samples",
		"1", "--suite", "fog", "--network", "allcnnc", "--width", "2",
		"--evaluation-samples", "32", "--evaluation-images", "1000", "--manifest",
		filepath.Join(t.TempDir(), "m.json")}
	wantStatus(t, exitDone, "plan     1 point   1 corruption x 5 levels + clean, 1,000 images, 1 "+
		"sample   about ", arguments...)
	arguments[5], arguments[len(arguments)-1] = "nodebnn", filepath.Join(t.TempDir(), "m.json")
	wantStatus(t, exitDone, ", 1,000 images, 32 samples   about ", arguments...)
}

// The points of a sweep are the runs that `nbbnn train` makes, all of one seed before the next.
func TestSweepFromPlanToTable(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder), filepath.Join(folder, "runs")
	flags := []string{"--manifest", manifest, "--runs", runs}
	status := append([]string{"sweep", "status"}, flags...)
	wantStatus(t, exitUsage, "the folder of runs "+runs+" doesn't exist: give the one that has "+
		"them", status...)
	testkit.NoError(t, os.Mkdir(runs, 0o755))
	wantStatus(t, exitDone, "4 points: 4 waiting", status...)
	for _, variable := range []string{"SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "JOB_COMPLETION_INDEX",
		"PARALLEL_SEQ"} {
		t.Setenv(variable, "")
	}
	wantStatus(t, exitNever, "no index is given", append([]string{"sweep", "point"}, flags...)...)
	trained := append(tinyRun(runs), "--gamma", "2")
	wantStatus(t, exitDone, "", append(trained, "--no-test")...)
	wantStatus(t, exitDone, "   trained, not tested\n", append([]string{"sweep", "status"},
		flags...)...)
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	wantStatus(t, exitDone, "done     point 1   gamma 2, seed 1", append([]string{"sweep", "point"},
		flags...)...)
	t.Setenv("SLURM_ARRAY_TASK_ID", "4")
	wantStatus(t, exitNever, "4 points are 0 to 3: start the array at 0",
		append([]string{"sweep", "point"}, flags...)...)
	wantStatus(t, exitDone, "done     point 3",
		append([]string{"sweep", "point", "--index", "1", "--chunk", "2"}, flags...)...)

	wantStatus(t, exitDone, "card     ", trained...)
	wantStatus(t, exitDone, "4 points: 3 done, 1 waiting", append([]string{"sweep", "status"},
		flags...)...)
	other := cardOf(t, append(tinyRun(runs), "--epochs", "1")...).Run
	wantTexts(t, exitDone, []string{"left out: 1 of 4 points, not begun: `nbbnn " +
		"sweep run --manifest ", "gamma 2", "!" + other},
		append([]string{"compare"}, flags...)...)
}

// weights returns the checksums of the weights in a directory of runs, by the names of the runs.
func weights(t *testing.T, runs string) (sums []string) {
	t.Helper()
	paths := testkit.Must(filepath.Glob(filepath.Join(runs, "*", "card.json")))(t)
	for _, path := range paths {
		data := testkit.Must(os.ReadFile(path))(t)
		var card struct {
			State      string `json:"state_sha256"`
			Evaluation struct{ Levels any }
		}
		testkit.NoError(t, json.Unmarshal(data, &card))
		levels := testkit.Must(json.Marshal(card.Evaluation.Levels))(t)
		sums = append(sums, card.State+string(levels))
	}
	return sums
}

// A task that is stopped saves and asks to be run again.
func TestStoppedPointIsRunAgain(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder), filepath.Join(folder, "runs")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, stderr, status := executeWith(t, cancelled, "sweep", "point", "--manifest", manifest,
		"--runs", runs, "--index", "0")
	if status != exitStopped {
		t.Errorf("exit status %d, want %d: %s", status, exitStopped, stderr)
	}
	wantStatus(t, exitDone, "done", "sweep", "point", "--manifest", manifest, "--runs", runs,
		"--index", "0")
}

// planCIFAR10 plans two points that need images of CIFAR-10, of which there are none.
func planCIFAR10(t *testing.T, folder string) (manifest string) {
	t.Helper()
	manifest = filepath.Join(folder, "m.json")
	wantStatus(t, exitDone, "2 points", "sweep", "plan", "--network", "allcnnc", "--width", "2",
		"--data", "cifar10", "--seeds", "1..2",
		"--no-evaluation", "--manifest", manifest)
	t.Setenv("NBBNN_DATA", t.TempDir())
	return manifest
}

// Missing images are an error that no repetition cures. A stop isn't, and neither is a directory
// that the system can't read.
func TestMissingDataIsJudged(t *testing.T) {
	folder := t.TempDir()
	point := []string{"sweep", "point", "--manifest", planCIFAR10(t, folder), "--runs",
		filepath.Join(folder, "runs"), "--index", "0"}
	wantStatus(t, exitNever, "nbbnn data get cifar10", point...)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, stderr, status := executeWith(t, cancelled, point...); status != exitStopped {
		t.Errorf("stopped: exit status %d, want %d: %s", status, exitStopped, stderr)
	}
	loop := filepath.Join(folder, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip("no symbolic links here")
	}
	t.Setenv("NBBNN_DATA", loop)
	wantStatus(t, exitFailed, "can't be read", point...)
}

// A failed sweep names a log, which keeps all attempts.
func TestLogKeepsAllAttempts(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planCIFAR10(t, folder), filepath.Join(folder, "runs")
	for range 2 {
		wantStatus(t, exitFailed, "2 of 2 points failed", "sweep", "run", "--manifest", manifest,
			"--runs", runs)
	}
	logs, err := filepath.Glob(filepath.Join(runs, ".sweep", "*.log"))
	if err != nil || len(logs) != 2 {
		t.Fatalf("logs %v (%v), want 2", logs, err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil || strings.Count(string(text), "attempt  point ") != 2 ||
			strings.Count(string(text), " data get cifar10") != 2 {
			t.Errorf("the log has not two attempts (%v):\n%s", err, text)
		}
	}
	_, stderr, _ := execute(t, "sweep", "run", "--manifest", manifest, "--runs", runs)
	if !strings.Contains(stderr, logs[0]) && !strings.Contains(stderr, logs[1]) {
		t.Errorf("the error names no log: %s", stderr)
	}
}

// The commas of a normalisation don't separate values, but names of normalisations are a list.
func TestPlanWithNormalisation(t *testing.T) {
	for text, points := range map[string]int{"0.5,0.5,0.5/0.25,0.25,0.125": 4, "imagenet,none": 8} {
		data := testkit.Must(os.ReadFile(planTiny(t, t.TempDir(), "--normalisation", text)))(t)
		if count := strings.Count(string(data), `{"run":`); count != points ||
			!strings.Contains(string(data), `"pixels"`) {
			t.Errorf("%s: %d points, want %d with a normalisation: %s", text, count, points, data)
		}
	}
}

// Input that no repetition cures is refused in one line, and nothing is written.
func TestSweepRefuses(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder), filepath.Join(folder, "runs")
	data := testkit.Must(os.ReadFile(manifest))(t)
	edited := filepath.Join(folder, "edited.json")
	testkit.NoError(t,
		os.WriteFile(edited, []byte(strings.Replace(string(data), `"seed":2`, `"seed":7`, 1)),
			0o644))
	plan := func(flags ...string) []string {
		return append([]string{"sweep", "plan", "--manifest", filepath.Join(folder, "other.json"),
			"--data", "shapes10"}, flags...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"was edited or damaged after planning", []string{"sweep", "point", "--manifest", edited,
			"--index", "0"}},
		{"there's no manifest", []string{"sweep", "point", "--manifest",
			filepath.Join(folder, "none.json"), "--index", "0"}},
		{"holds something else", []string{"sweep", "plan", "--manifest", manifest, "--gamma", "1"}},
		{"isn't a range that rises", plan("--seeds", "5..1")},
		{"exclude each other", plan("--seeds", "1", "--seed", "2")},
		{"exclude each other", plan("--figure", "3", "--configs", "x.json")},
		{"belongs to a product", plan("--figure", "3")},
		{"it has 1 twice", plan("--gamma", "1,1")},
		{"it has 0.5 twice, as 0.5 and 5e-1", plan("--gamma", "0.5,1,5e-1")},
		{"it has 0 twice, as 0 and -0", plan("--gamma", "0,-0")},
		{"it has 2 twice, as 2 and 0x2", plan("--seeds", "1..3,0x2")},
		{"init std 0.2 (--init-std) is an option of the method nodebnn",
			plan("--method", "map,swag", "--init-std", "0.2,0.4")},
		{"gamma 2 (--gamma) is an option of the method nodebnn", plan("--method", "map,swag",
			"--gamma", "0,2")},
		{"unknown network", plan("--network", "allcnnc,alexnet")},
		{"--parallel is -1", []string{"sweep", "run", "--manifest", manifest, "--parallel", "-1"}},
	} {
		want := exitUsage
		if c.args[1] == "point" {
			want = exitNever
		}
		wantLine(t, want, c.want, append(c.args, "--runs", runs)...)
	}
	if _, err := os.Stat(runs); !os.IsNotExist(err) {
		t.Errorf("something was written to the runs: %v", err)
	}
	if after, err := os.ReadFile(manifest); err != nil || string(after) != string(data) {
		t.Errorf("the manifest changed (%v)", err)
	}
}

// A submission is printed as a shell takes it, and nothing is made.
func TestSubmitDryRun(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder), filepath.Join(folder, "runs")
	submit := func(flags ...string) []string {
		return append([]string{"sweep", "submit", "--manifest", manifest, "--runs", runs,
			"--dry-run"}, flags...)
	}
	wantStatus(t, exitDone, "sbatch --array=0-3%2 ", submit("--engine", "slurm", "--parallel",
		"2")...)
	wantStatus(t, exitDone, " --partition=short << 'END'\n#!/bin/bash",
		submit("--engine", "slurm", "--", "--partition=short")...)
	wantStatus(t, exitDone, "hq submit --array=0-1 ", submit("--engine", "hyperqueue", "--chunk",
		"2")...)
	wantStatus(t, exitUsage, `unknown engine "slrum" (did you mean "slurm"?)`,
		submit("--engine", "slrum")...)
	wantStatus(t, exitUsage, "write -- before", submit("--engine", "slurm", "extra")...)
	if _, err := os.Stat(runs); !os.IsNotExist(err) {
		t.Errorf("something was written to the runs: %v", err)
	}
}

// A sweep of a figure makes the runs of the figure.
func TestSweepOfAFigure(t *testing.T) {
	folder, manifest := t.TempDir(), filepath.Join(t.TempDir(), "m.json")
	wantStatus(t, exitDone, "measured for figure demo, quick", "sweep", "plan", "--figure", "demo",
		"--manifest", manifest+".demo", "--runs", folder)
	wantStatus(t, exitDone, "15 points: 15 waiting", "sweep", "status", "--manifest",
		manifest+".demo", "--runs", folder)
	wantStatus(t, exitDone, "measured for figure 3, smoke", "sweep", "plan", "--figure", "3",
		"--scale", "smoke", "--manifest", manifest, "--runs", folder)
	wantStatus(t, exitDone, "4 points: 4 waiting", "sweep", "status", "--manifest", manifest,
		"--runs", folder)
}

// methodProduct plans points of several methods and returns their names of runs, and what was said.
func methodProduct(t *testing.T, flags ...string) (runs []string, said string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.json")
	plan := []string{"sweep", "plan", "--network", "allcnnc", "--width", "2", "--data", "shapes10",
		"--epochs", "4", "--manifest", path}
	said = wantStatus(t, exitDone, "", append(plan, flags...)...)
	manifest := testkit.Must(sweep.Read(path))(t)
	for i := range manifest.Points {
		runs = append(runs, manifest.RunName(i))
	}
	return runs, said
}

// An option in a product of methods makes points of the methods that have it. The others get the
// point that `nbbnn train` would train without it. The plan says so, also in JSON.
func TestProductOfMethods(t *testing.T) {
	train := func(flags ...string) string {
		return readArguments(t, append([]string{"--network", "allcnnc", "--width", "2", "--data",
			"shapes10", "--epochs", "4"}, flags...)...).RunName()
	}
	for _, c := range []struct {
		flags []string
		want  []string
		note  string
	}{
		{
			[]string{"--method", "map,nodebnn", "--init-std", "0.2,0.4"},
			[]string{train("--method", "map"), train("--init-std", "0.2"),
				train("--init-std", "0.4")},
			"note     --init-std is left out for map, without such an option: one point for all " +
				"its values\n",
		},
		{
			[]string{"--method", "map,swag,nodebnn", "--gamma", "0,2", "--swag-rank", "2"},
			[]string{train("--method", "map"), train("--method", "swag", "--swag-rank", "2"),
				train(), train("--gamma", "2")},
			"note     --gamma is left out for map, swag, without",
		},
		{
			[]string{"--method", "map,nodebnn", "--samples", "4,1"}, // 1 holds for map, too
			[]string{train("--method", "map"), train("--samples", "4"), train("--samples", "1")},
			"note     --samples is left out for map,",
		},
		{
			[]string{"--method", "sam,damp", "--rho", "0.1,0.2", "--seeds", "1..2"},
			[]string{
				train("--method", "sam", "--rho", "0.1", "--seed", "1"),
				train("--method", "sam", "--rho", "0.2", "--seed", "1"),
				train("--method", "damp", "--seed", "1"),
				train("--method", "sam", "--rho", "0.1", "--seed", "2"),
				train("--method", "sam", "--rho", "0.2", "--seed", "2"),
				train("--method", "damp", "--seed", "2"),
			},
			"note     --rho is left out for damp,",
		},
	} {
		runs, said := methodProduct(t, c.flags...)
		if slices.Sort(runs); !slices.Equal(runs, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%v plans the runs %v, want %v", c.flags, runs, c.want)
		}
		if !strings.Contains(said, c.note) {
			t.Errorf("%v says %q, want %q", c.flags, said, c.note)
		}
	}
	if _, said := methodProduct(t, "--method", "map,swag", "--seeds", "1..2"); strings.Contains(
		said, "note") || !strings.Contains(said, "point 0   MAP, seed 1   ") {
		t.Errorf("without an option: %s", said)
	}
	_, said := methodProduct(t, "--method", "map,nodebnn", "--init-std", "0.2,0.4", "--json")
	var plan struct {
		Points  int
		LeftOut []leftOutOption `json:"left_out"`
	}
	testkit.NoError(t, json.Unmarshal([]byte(said), &plan))
	if plan.Points != 3 || len(plan.LeftOut) != 1 || plan.LeftOut[0].Option != "init-std" ||
		string(plan.LeftOut[0].Methods[0]) != "map" {
		t.Errorf("the plan in JSON is %+v", plan)
	}
}
