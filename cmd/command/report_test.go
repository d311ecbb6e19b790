package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

func TestReport(t *testing.T) {
	runs, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	wantStatus(t, exitDone, "", tinyRun(runs)...)
	names, err := os.ReadDir(runs)
	if err != nil || len(names) != 1 {
		t.Fatalf("%d runs, %v, want one", len(names), err)
	}
	wantStatus(t, exitDone, "training.png", "report", names[0].Name(), "--out", out, "--runs", runs)
	for _, name := range []string{"training.png", "training.csv", "card.json"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want a file with content", name, err)
		}
	}
	wantStatus(t, exitDone, names[0].Name()+"   mine", "runs", "name", names[0].Name(), "mine",
		"--runs", runs)
	t.Chdir(t.TempDir())
	wantStatus(t, exitDone, filepath.Join("out", "mine", "training.png"), "report", "mine",
		"--runs", runs)
	wantStatus(t, exitDone, "wrote    mine.safetensors", "weights", "export", "mine", "--runs",
		runs)
	testkit.NoError(t, os.WriteFile(filepath.Join(runs, names[0].Name(), "card.json"), []byte("{"),
		0o644))
	wantStatus(t, exitFailed, "card.json is damaged", "report", names[0].Name(), "--out", out,
		"--runs", runs)
	wantStatus(t, exitUsage, "nbbnn report: argument 1 is empty: give RUN, as in `nbbnn report "+
		"9f3c`", "report", "", "--runs", runs)
}

// A run that was stopped is reported as far as it is, and so is one that is being trained; one
// without an epoch has nothing to show.
func TestReportOfARunThatIsNotTrainedToTheEnd(t *testing.T) {
	runs, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	run := stoppedRun(t, runs, 7)
	label := filepath.Join(run.Directory(), "label.json")
	testkit.NoError(t, os.WriteFile(label, []byte("{"), 0o644)) // which a report doesn't need
	stdout, stderr, status := execute(t, "report", run.Directory(), "--out", out)
	testkit.NoError(t, os.Remove(label))
	want := "note     stopped, at epoch 1 of 3: there is no card before the end; `nbbnn train " +
		"--config "
	if status != exitDone || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %q, want %q", status, stderr, want)
	}
	if strings.Contains(stdout, "card.json") || !strings.Contains(stdout, "training.png") {
		t.Errorf("%q, want the picture and the table", stdout)
	}
	if _, err := os.Stat(filepath.Join(out, "training.csv")); err != nil {
		t.Error(err)
	}
	unlock := testkit.Must(files.Lock(filepath.Join(run.Directory(), "lock")))(t)
	defer unlock()
	const later = "being trained, at epoch 1 of 3: there is no card before the end; report it " +
		"again later"
	wantStatus(t, exitDone, later, "report", run.Directory(), "--out", out)
	early := stoppedRun(t, t.TempDir(), 1)
	wantStatus(t, exitFailed, "isn't trained to the end: train it", "report",
		early.Directory(), "--out", out)
}

// tinyConfig trains in a moment.
func tinyConfig(train, epochs int) nbbnn.Config {
	return nbbnn.Config{
		Network: nbbnn.Network{Width: 2}, Data: nbbnn.Data{Name: "shapes10", Train: train, Test: 8},
		Training: nbbnn.Training{Epochs: epochs, Batch: 8, Samples: 1},
	}
}

// stoppedRun is a run of three epochs of 6 steps that was stopped after a step.
func stoppedRun(t *testing.T, runs string, step int) *nbbnn.Run {
	t.Helper()
	run := testkit.Must(nbbnn.Open(runs, tinyConfig(48, 3)))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := run.Train(ctx, func(u nbbnn.Update) {
		if u.Done == step {
			cancel()
		}
	})
	if !errors.Is(err, nbbnn.ErrStopped) {
		t.Fatalf("error %v, want %v", err, nbbnn.ErrStopped)
	}
	return run
}
