//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tinyFigure is the command line of Figure 3 with two seeds of runs that train in a moment.
func tinyFigure(folder string, more ...string) []string {
	return append([]string{
		"figure", "3", "--width", "2", "--epochs", "1", "--train", "32", "--seeds", "2", "--images",
		"2", "--samples", "1",
		"--runs", filepath.Join(folder, "runs"), "--out", filepath.Join(folder, "out"),
	}, more...)
}

// A figure whose runs are made in processes is the one of a single process, to the last bit of its
// weights and cells. Processes that there are no runs for aren't started. Without --parallel each
// core makes a run.
func TestFigureInProcesses(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	alone := t.TempDir()
	wantTexts(t, exitDone, []string{"wrote", "!at a time"}, tinyFigure(alone, "--parallel",
		"1")...)
	want := weights(t, filepath.Join(alone, "runs"))
	table := func(folder string) string {
		return textOf(t, filepath.Join(folder, "out", "figure-03.csv"))
	}
	said, flags := "seeds 1 2 · 2 at a time · ", []string(nil)
	if !engine.IsOnCores() {
		said, flags = "runs     4, 4 at a time; ", []string{"--parallel", "9"}
	}
	parallel := t.TempDir()
	wantTexts(t, exitDone, []string{said, "M32 seed 2", "4/4"}, tinyFigure(parallel, flags...)...)
	got := weights(t, filepath.Join(parallel, "runs"))
	if len(got) != 4 || !slices.Equal(got, want) {
		t.Errorf("weights and levels are %v, want %v", got, want)
	}
	if got, want := table(parallel), table(alone); got != want {
		t.Errorf("the figure's table is\n%s, want\n%s", got, want)
	}
	wantTexts(t, exitDone, []string{"!at a time"}, tinyFigure(parallel, flags...)...)
}

// Without --parallel there are as many runs at a time as cores, runs and memory allow, and one on
// XLA.
func TestRunsAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	limit := float64(machine.MemoryLimit())
	for _, c := range []struct {
		engine      string
		asked, runs int
		memory      float64
		want        int
	}{
		{"go", 0, 15, 0, 3}, {"go", 0, 2, 1, 2}, {"go", 0, 0, 1, 1}, {"go", 0, 15, limit / 2.5, 2},
		{"go", 0, 15, 2 * limit, 1}, {"go", 7, 15, 2 * limit, 7}, {"go", 7, 4, 1, 4},
		{"xla", 0, 15, 1, 1}, {"xla:cpu", 0, 15, 1, 1}, {"xla", 2, 15, 1, 2},
	} {
		if limit == 0 && c.memory > 1 {
			continue // it's unknown here
		}
		t.Setenv("GOMLX_BACKEND", c.engine)
		if got := atOnce(c.asked, c.runs, c.memory); got != c.want {
			t.Errorf("%+v: %d runs at once", c, got)
		}
	}
}

// On a terminal each task at work shows the last progress of its latest attempt.
func TestLatestProgressOfATask(t *testing.T) {
	const line = "train    M32 seed 2   epoch 3/12   loss 0.412   12 s left   [==         " +
		"   ]   25%"
	runs, at := t.TempDir(), &task{name: "M32 seed 2", run: "run"}
	for _, c := range []struct {
		log, want string
		columns   int
	}{
		{"", "at work  M32 seed 2", 0},
		{"attempt  a\nengine   go\n" + line + "\nnote     x\n",
			"train    M32 seed 2   epoch 3/12   loss 0.412   12 s left", 0},
		{"attempt  a\n" + line + "\n", "train    M32 seed 2   epoch 3/12   12 s left", 50},
		{"attempt  a\na   [\n", "a", 50},
		{"attempt  a\n" + line + "\nattempt  b\n", "at work  M32 seed 2", 50},
	} {
		testkit.NoError(t, errors.Join(os.MkdirAll(sweep.Folder(runs), 0o755),
			os.WriteFile(logPath(runs, "run"), []byte(c.log), 0o644)))
		if got := at.latest(runs, c.columns); got != c.want {
			t.Errorf("%q: got %q, want %q", c.log, got, c.want)
		}
	}
}

// A run that fails doesn't keep the others from being made, and the error says which and why.
func TestFigureWithARunThatFails(t *testing.T) {
	folder := t.TempDir()
	run := plannedRun(t, tinyFigure(folder)...)
	blocked := filepath.Join(folder, "runs", run, "lock")
	if err := os.MkdirAll(blocked, 0o755); err != nil { // no file that could be locked
		t.Fatal(err)
	}
	wantTexts(t, exitFailed, []string{"1 of 4 runs failed: M16 seed 1, ",
		run + ".log"}, tinyFigure(folder, "--parallel", "2")...)
	if cards := weights(t, filepath.Join(folder, "runs")); len(cards) != 3 {
		t.Errorf("%d runs are made, want 3", len(cards))
	}
	testkit.NoError(t, os.Remove(blocked))
	wantStatus(t, exitDone, "wrote", tinyFigure(folder, "--parallel", "2")...)
}

// The reason of a failure is the signal, or the error of the last attempt, however long the lines
// of the log are.
func TestWhyFailed(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	for _, c := range []struct {
		status    int
		log, want string
	}{
		{1, "attempt  one\nepoch 3 of 4\nerror    nbbnn: a full disk\nprogress\n",
			"nbbnn: a full disk"},
		{1, long + "\nerror    " + long, long},
		{1, "error    old\nattempt  two\nepoch 3 of 4\n", "status 1 without an error in its log"},
		{-1, "error    old\nattempt  two\nepoch 3 of 4\n",
			"a signal ended it, as when memory is short"},
	} {
		path := filepath.Join(t.TempDir(), "run.log")
		testkit.NoError(t, os.WriteFile(path, []byte(c.log), 0o644))
		if got := whyFailed(c.status, path); got != c.want {
			t.Errorf("status %d, log %.60q: %.60q, want %.60q", c.status, c.log, got, c.want)
		}
	}
	if got, want := whyFailed(2, filepath.Join(t.TempDir(), "none")),
		"status 2 without an error in its log"; got != want {
		t.Errorf("without a log: %q, want %q", got, want)
	}
}

// A task is repeated as often as the exit statuses of its processes ask for. A stop isn't counted
// as a failure, and neither is what fails while all stop.
func TestTasksRepeatWhatMayCure(t *testing.T) {
	for _, statuses := range [][]int{{0}, {1, 0}, {65}, {75, 0}, {1, 1}, {75, 75}, {75, 1, 0},
		{1, 75, 0}, {2, 0}, {-1, 0}} {
		tried := &task{}
		for i, status := range statuses {
			got, want, left := tried.repeats(status, 1, false), i+1 < len(statuses), status
			if want {
				left = exitStopped // if all stop now, it isn't done
			}
			if got != want || tried.status != left {
				t.Errorf("%v: after process %d repeats is %t with status %d, want %t with %d",
					statuses, i, got, tried.status, want, left)
			}
		}
	}
	stopping := &task{}
	if stopping.repeats(exitFailed, 0, true); stopping.status != exitStopped {
		t.Errorf("a failure while all stop has status %d, want %d", stopping.status, exitStopped)
	}
}

// A terminal sends Ctrl-C to the group of the program, which doesn't hold its processes.
func TestProcessesHaveAGroupOfTheirOwn(t *testing.T) {
	isGroup := []string{"-c", "kill -0 -$$"} // there is a group with the number of the process
	if status, err := (&task{run: "x", arguments: isGroup}).try(t.Context(), "sh", t.TempDir(),
		nil); status != exitDone || err != nil {
		t.Errorf("status %d (%v), want a process that leads its group", status, err)
	}
}

// A process that can't be started counts as failed.
func TestProcessThatCannotBeStarted(t *testing.T) {
	folder := t.TempDir()
	status, err := (&task{run: "x"}).try(t.Context(), filepath.Join(folder, "none"), folder, nil)
	if status != exitFailed || err == nil ||
		!strings.Contains(err.Error(), "a process can't be started") {
		t.Errorf("status %d and %v, want %d and why", status, err, exitFailed)
	}
}

// SIGTERM to the process of several trainings saves all of them, and the same command continues.
// The weights are those of runs that nothing stopped.
func TestStoppedSeedsContinue(t *testing.T) {
	folder := t.TempDir()
	runs, alone := filepath.Join(folder, "runs"), filepath.Join(folder, "alone")
	training := func(runs string) []string {
		plain := tinyRun(runs)
		seed := slices.Index(plain, "--seed")
		return append(slices.Delete(plain, seed, seed+2), "--epochs", "48", "--seeds", "1..2",
			"--parallel", "2", "--name", "noisy", "--json")
	}
	command := exec.Command(os.Args[0], training(runs)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	testkit.NoError(t, command.Start())
	waitForFile(t, filepath.Join(runs, "*", "train.jsonl"))
	testkit.NoError(t, command.Process.Signal(syscall.SIGTERM))
	_ = command.Wait()
	if status := command.ProcessState.ExitCode(); status != exitStopped ||
		!strings.Contains(stderr.String(), " of 2 runs aren't done: stopped and saved") {
		t.Errorf("status %d, want %d: %s", status, exitStopped, stderr.String())
	}
	if cards := printed[[]nbbnn.Card](t, exitDone, training(runs)...); len(cards) != 2 ||
		cards[1].Config.Seed != 2 {
		t.Fatalf("%+v, want the cards of seeds 1 and 2", cards)
	}
	for _, seed := range []string{"1", "2"} {
		wantStatus(t, exitDone, "card", append(tinyRun(alone), "--epochs", "48", "--seed", seed)...)
	}
	nameless := training(filepath.Join(folder, "nameless"))
	nameless = append(nameless[:len(nameless)-3], "--epochs", "1", "--json")
	if cards := printed[[]nbbnn.Card](t, exitDone, nameless...); len(cards) != 2 {
		t.Errorf("%d cards without a name, want 2", len(cards))
	}
	if got, want := weights(t, runs), weights(t, alone); len(got) != 2 || !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
	wantTexts(t, exitDone, []string{"noisy-1", "noisy-2"}, "runs", "--runs", runs)
	wantStatus(t, exitDone, "plan     2 runs, ", "evaluate", "noisy", "--samples", "2", "--images",
		"4", "--save", filepath.Join(folder, "saved"), "--runs", runs)
	second := testkit.Must(findRun(&app{runs: runs}, "noisy-2"))(t)
	if saved, err := score.ReadSaved(filepath.Join(folder, "saved", "noisy-2",
		"clean-0.npz")); err != nil || saved.Run != nameOf(second) {
		t.Errorf("the second run's predictions are of %s: %v", saved.Run, err)
	}
	wantStatus(t, exitDone, "2 of noisy: ", "compare", "noisy", "--runs", runs)
	wantStatus(t, exitDone, "2 of ours: ", "compare", "noisy", "--label", "noisy=ours", "--runs",
		runs)
	wantStatus(t, exitUsage, `"noisy" is the beginning of 2 runs`, "runs", "rm", "noisy", "--yes",
		"--runs", runs)
	wantStatus(t, exitUsage, `"noisy" means noisy-2 and other seeds`, "runs", "name", "noisy-1",
		"noisy", "--runs", runs)
	wantStatus(t, exitDone, "", "runs", "name", "noisy-2", "noisy-7", "--runs", runs)
	first := testkit.Must(findRun(&app{runs: runs}, "noisy-1"))(t)
	if isNumbered(second.Directory(), "noisy") || !isNumbered(first.Directory(), "noisy") {
		t.Error("a number that isn't the seed counts as one, or a seed doesn't")
	}
	wantStatus(t, exitDone, "", "runs", "name", "noisy-1", "noisy", "--runs", runs)
	wantStatus(t, exitUsage, `a run is called "noisy", so "noisy-2" would be a seed of it`, "runs",
		"name", "noisy-7", "noisy-2", "--runs", runs)
	wantStatus(t, exitDone, "", "runs", "name", "noisy", "noisy-1", "--runs", runs)
	wantStatus(t, exitDone, "", "runs", "name", "noisy-7", "noisy-2", "--runs", runs)
	wantStatus(t, exitUsage, `"noisy" is the beginning of 2 runs: give more of the name (noisy-`,
		"report", "noisy", "--runs", runs)
	wantStatus(t, exitUsage, "--name is empty: give a value, or leave it out", "train", "--name",
		"", "--runs", runs)
	again := training(runs)
	again[len(again)-2] = "quiet" // of runs that are there
	wantStatus(t, exitUsage, "`nbbnn runs name noisy-1 quiet-1` renames it", again...)
	wantStatus(t, exitUsage, `is called "noisy-2" already`, "train", "--preset", "allcnnc-shapes10",
		"--seeds", "2..3", "--name", "noisy", "--runs", runs)
}

// patience is what a test waits for another process on a machine that is busy with other things.
const patience = 5 * time.Minute

// waitForFile waits until a file matches the pattern.
func waitForFile(t *testing.T, pattern string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatal("there is no file " + pattern)
		}
	}
}

// The parts of a machine add up to it, and a note says where processes share cores or GPUs.
func TestMachineShare(t *testing.T) {
	for _, c := range []struct {
		share machineShare
		want  string // the variables of all slots, then the notes
	}{
		{machineShare{processes: 1, cores: 2}, "GOMAXPROCS=2"},
		{machineShare{processes: 2, cores: 5}, "GOMAXPROCS=3 GOMAXPROCS=2"},
		{machineShare{processes: 2, cores: 16, gpus: []string{"0"}}, "GOMAXPROCS=8 GOMAXPROCS=8 " +
			"2 processes share 1 GPU: they compute side by side under NVIDIA's MPS " +
			"(nvidia-cuda-mps-control -d), else in turn"},
		{machineShare{processes: 2, cores: 2, gpus: []string{"4", "GPU-7"}},
			"GOMAXPROCS=1 CUDA_VISIBLE_DEVICES=4 GOMAXPROCS=1 CUDA_VISIBLE_DEVICES=GPU-7"},
		{machineShare{processes: 3, cores: 2}, "GOMAXPROCS=1 GOMAXPROCS=1 GOMAXPROCS=1 " +
			"3 processes are more than the 2 cores here, and wait for each other: --parallel 2 " +
			"needs less memory and is as fast"},
	} {
		var words []string
		for slot := range c.share.processes {
			words = append(words, c.share.variables(slot)...)
		}
		if got := strings.Join(append(words, c.share.notes()...), " "); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.share, got, c.want)
		}
	}
}

// The GPUs belong to the processes of the runs: the one that starts them opens none.
func TestParentOpensNoGPU(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "pjrt_c_api_cuda_plugin.so")
	testkit.NoError(t, os.WriteFile(plugin, []byte("not a library"), 0o644))
	t.Setenv("GOMLX_BACKEND", "xla:"+plugin)
	t.Setenv("CUDA_VISIBLE_DEVICES", "0,1")
	if len(engine.GPUs()) == 0 {
		t.Skip("this program is built without XLA")
	}
	folder := t.TempDir()
	plain := tinyRun(filepath.Join(folder, "trained"))
	seed := slices.Index(plain, "--seed")
	for failed, args := range map[string][]string{
		"2 of 2 runs failed: seed 1, ": append(slices.Delete(plain, seed,
			seed+2), "--seeds", "1..2", "--parallel", "2"),
		"4 of 4 runs failed": tinyFigure(folder, "--parallel", "2"),
	} {
		wantTexts(t, exitFailed, []string{failed, "; and ", "seed 2", "!engine   ", "plan     "},
			args...)
	}
}

// The pure-Go engine has no GPUs to share, whatever CUDA_VISIBLE_DEVICES names.
func TestPureGoSharesNoGPUs(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	t.Setenv("CUDA_VISIBLE_DEVICES", "0,1")
	if share := newShare(2, 2); len(share.gpus) > 0 {
		t.Errorf("the share has GPUs %q, want none", share.gpus)
	}
}

// What can't be is refused in one line before anything is made.
func TestParallelRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"figure 3 --parallel -1":                         "--parallel is -1: give 0 or more",
		"figure 3 --parallel 2 --plan":                   "--parallel and --plan exclude",
		"figure 3 --parallel 2 --no-train":               "--parallel and --no-train exclude",
		"figure 3 --parallel 2 --run abc":                "--parallel and --run exclude",
		"train --parallel 2":                             "--parallel needs --seeds",
		"train --seeds 1,2 --seed 1":                     "--seeds and --seed exclude",
		"train --network allcnnc --width 2 --seeds 5,05": "it has 5 twice, as 5 and 05",
		"train --network allcnnc --width 2 --seeds 1,-2": `--seeds: "-2" must be a non-negative`,
	} {
		runs := filepath.Join(t.TempDir(), "runs")
		wantLine(t, exitUsage, want, append(strings.Fields(args), "--runs", runs)...)
		if _, err := os.Stat(runs); err == nil {
			t.Errorf("%s: %s was made", args, runs)
		}
	}
}

// A run of others, whose folder can't be written, is evaluated if the predictions go elsewhere: the
// cells are kept with them, and the run stays as it is.
func TestReadOnlyRunsAreEvaluated(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("NOT TESTED: read-only folders don't stop root")
	}
	runs, folder := t.TempDir(), filepath.Join(t.TempDir(), "predictions")
	name := trainedTwice(t, runs)[0]
	directory := filepath.Join(runs, name)
	cells := filepath.Join(directory, "cells.csv")
	before := testkit.Must(os.ReadFile(cells))(t)
	testkit.NoError(t, os.Chmod(directory, 0o555))
	t.Cleanup(func() { _ = os.Chmod(directory, 0o755) })
	arguments := []string{"evaluate", name, "--runs", runs, "--clean", "--images", "4"}
	wantStatus(t, exitFailed, "work on a copy", arguments...)
	for range 2 { // the second time all is there
		wantTexts(t, exitDone, []string{"wrote    " + filepath.Join(folder, "cells.csv"), "1 file"},
			append(arguments, "--save", folder)...)
	}
	if after := testkit.Must(os.ReadFile(cells))(t); !slices.Equal(after, before) {
		t.Errorf("%s was changed in a folder that can't be written", cells)
	}
}
