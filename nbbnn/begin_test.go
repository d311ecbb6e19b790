package nbbnn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// isGone checks that nothing is left of a run.
func isGone(t *testing.T, run *Run) {
	t.Helper()
	if entries, err := os.ReadDir(run.Directory()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run's directory holds %v (%v), want none", entries, err)
	}
}

// A training that is stopped before its first step says so and leaves nothing behind; the same run can be trained then.
func TestStoppedBeforeTheFirstStep(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	atOnce := func(run *Run) error { return run.Train(cancelled, nil) }
	inTheFirstStep := func(run *Run) error {
		end, err := run.begin()
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		trainer := startedTrainer(t, run)
		if _, err := trainer.interruptible(cancelled, heldStep(t, trainer)); !errors.Is(err, errAbandoned) {
			t.Fatalf("error %v, want %v", err, errAbandoned)
		}
		return trainer.stop()
	}
	for name, stop := range map[string]func(*Run) error{"at once": atOnce, "in the first step": inTheFirstStep} {
		config := tinyConfig()
		config.Data.LabelNoise = 0.2
		run := openRun(t, t.TempDir(), config)
		err := stop(run)
		if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "nothing was trained and nothing is left behind") || strings.Contains(err.Error(), "saved") {
			t.Errorf("%s: error %v, want one that wraps ErrStopped and says that nothing was trained", name, err)
		}
		isGone(t, run)
		_, err = run.Evaluate(t.Context(), Evaluation{}, nil)
		checkError(t, name, err, "train it first (Run.Train)") // no command reads a configuration that is gone
		trainedCard(t, run)
	}
}

// A configuration that somebody else has put into the directory stays there.
func TestTrainingKeepsTheConfigurationOfAnother(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	another := []byte(`{"seed": 17}`)
	if err := os.WriteFile(run.path("config.json"), another, 0o644); err != nil {
		t.Fatal(err)
	}
	checkError(t, "training", run.Train(t.Context(), nil), "holds a run with")
	run.RemoveUntrained()
	if data, err := os.ReadFile(run.path("config.json")); err != nil || string(data) != string(another) {
		t.Errorf("config.json is %q (%v), want %q", data, err, another)
	}
}

// Files of a data set that are damaged end a training before anything of it is written.
func TestDamagedDataLeavesNoRun(t *testing.T) {
	data := t.TempDir()
	t.Setenv("NBBNN_DATA", data)
	if err := os.Mkdir(filepath.Join(data, "cifar-10-batches-bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"} {
		if err := os.WriteFile(filepath.Join(data, "cifar-10-batches-bin", name+".bin"), []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := openRun(t, t.TempDir(), Config{Network: Network{Width: 4}, Data: Data{Name: "cifar10"}})
	if err := run.Train(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "data_batch_1.bin has 7 bytes") {
		t.Errorf("error %v, want one that names the damaged file", err)
	}
	isGone(t, run)
}

// What an earlier training recorded stays, even where its checkpoint was removed.
func TestFailedTrainingKeepsWhatWasRecorded(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	trainedCard(t, run)
	if err := os.RemoveAll(filepath.Dir(run.checkpointPath())); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.Train(cancelled, nil); !errors.Is(err, ErrStopped) {
		t.Errorf("error %v, want %v", err, ErrStopped)
	}
	if history, err := run.History(); err != nil || len(history) != 4 || !exists(run.path("card.json")) {
		t.Errorf("%d lines of history (%v), want those of the earlier training and its card", len(history), err)
	}
}

// What needs a trained run says of one that is being trained who does it and how far that is.
func TestUntrainedWhileItIsTrained(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if err := trainUntil(t, run, 7); !errors.Is(err, ErrStopped) {
		t.Fatalf("error %v, want %v", err, ErrStopped)
	}
	_, err := run.Evaluate(t.Context(), Evaluation{}, nil)
	checkError(t, "stopped", err, "isn't trained to the end: train it first")
	unlock, err := run.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	_, err = run.Evaluate(t.Context(), Evaluation{}, nil)
	if !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want one that wraps %v", err, ErrLocked)
	}
	for _, want := range []string{"is being trained by process " + strconv.Itoa(os.Getpid()) + ", at epoch 1 of 3", "wait for its end"} {
		checkError(t, "being trained", err, want)
	}
}
