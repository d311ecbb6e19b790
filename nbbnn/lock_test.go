package nbbnn

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A process that was killed between making the directory and writing config.json, or earlier,
// leaves what the next one completes.
func TestLockCompletesTheDirectory(t *testing.T) {
	for name, leave := range map[string]func(*Run) error{
		"nothing": func(*Run) error { return nil },
		"a directory": func(r *Run) error {
			return os.MkdirAll(r.directory, 0o755)
		},
		"a lock that nobody holds": func(r *Run) error {
			return writeFile(r.path("lock"), func(w io.Writer) error {
				_, err := w.Write([]byte("4711\n"))
				return err
			})
		},
		"half of a file": func(r *Run) error {
			return writeFile(r.path(".config.json.17.nbbnn.tmp"), func(w io.Writer) error {
				_, err := w.Write([]byte("{"))
				return err
			})
		},
	} {
		run := openRun(t, filepath.Join(t.TempDir(), "runs"), tinyConfig())
		testkit.NoError(t, leave(run))
		makeDirectory(t, run)
		if stored, err := ReadConfig(run.path("config.json")); err != nil ||
			stored != run.Config() {
			t.Errorf("%s: config.json holds %+v (%v), want that of the run", name, stored, err)
		}
	}
}

// Of several calls that open and train one run at once, one trains it; the others say that it's
// locked or find it complete.
func TestTrainedOnceByTwo(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "runs")
	results := make(chan error, 4)
	for range cap(results) {
		go func() {
			run, err := Open(directory, tinyConfig())
			if err == nil {
				err = run.Train(t.Context(), nil)
			}
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil && !errors.Is(err, ErrLocked) {
			t.Errorf("error %v, want none or %v", err, ErrLocked)
		}
	}
	want := undisturbed(t, tinyConfig()).StateSHA256
	equal(t, "the weights", trainedCard(t, openRun(t, directory, tinyConfig())).StateSHA256, want)
}

// A training that is stopped before its first step says that nothing is saved, and the same call
// trains the run.
func TestStoppedBeforeTheFirstStep(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	inTheFirstStep := func(run *Run) error {
		unlock := testkit.Must(run.lock())(t)
		defer unlock()
		trainer := startedTrainer(t, run)
		if _, err := trainer.interruptible(cancelled, heldStep(t, trainer)); !errors.Is(err,
			errAbandoned) {
			t.Fatalf("error %v, want %v", err, errAbandoned)
		}
		return trainer.stop()
	}
	config := tinyConfig()
	config.Data.LabelNoise = 0.2
	run := openRun(t, t.TempDir(), config)
	if err := run.Train(cancelled, nil); !errors.Is(err, ErrStopped) {
		t.Errorf("at once: error %v, want %v", err, ErrStopped)
	}
	equal(t, "a directory is left", exists(run.directory), false)
	refused(t, "no directory", "train it first (Run.Train)")(run.Evaluate(t.Context(), Evaluation{},
		nil))
	err := inTheFirstStep(run)
	if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "nothing is saved") {
		t.Errorf("in the first step: error %v, want one that wraps ErrStopped and says that "+
			"nothing is saved", err)
	}
	refused(t, "config.json alone", "train it first (Run.Train)")(run.Evaluate(t.Context(),
		Evaluation{}, nil))
	trainedCard(t, run)
}

// A configuration that was put into the directory after opening stays there.
func TestTrainingKeepsTheConfigurationOfAnother(t *testing.T) {
	run := openTestRun(t, tinyConfig())
	another := []byte(`{"seed": 17}`)
	testkit.NoError(t, os.WriteFile(run.path("config.json"), another, 0o644))
	checkError(t, "training", run.Train(t.Context(), nil), "holds a run with")
	if data, err := os.ReadFile(run.path("config.json")); err != nil ||
		string(data) != string(another) {
		t.Errorf("config.json is %q (%v), want %q", data, err, another)
	}
}

// Files of a data set that are damaged end a training before anything of it is written.
func TestDamagedDataLeavesNoRun(t *testing.T) {
	data := t.TempDir()
	t.Setenv("NBBNN_DATA", data)
	testkit.NoError(t, os.Mkdir(filepath.Join(data, "cifar-10-batches-bin"), 0o755))
	for _, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
		"data_batch_5", "test_batch"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(data, "cifar-10-batches-bin", name+".bin"),
			[]byte("damaged"), 0o644))
	}
	run := openRun(t, t.TempDir(), Config{Network: Network{Width: 4}, Data: Data{Name: "cifar10"}})
	checkError(t, "Train", run.Train(t.Context(), nil), "data_batch_1.bin has 7 bytes")
	equal(t, "a directory is left", exists(run.directory), false)
}

// A training doesn't replace what an earlier one recorded, whose checkpoint was removed.
func TestTrainingKeepsWhatWasRecorded(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	testkit.NoError(t, os.RemoveAll(filepath.Dir(run.checkpointPath())))
	checkError(t, "without weights", run.Train(t.Context(), nil),
		"has recorded results and no weights")
	if history, err := run.History(); err != nil || len(history) != 4 ||
		!exists(run.path("card.json")) {
		t.Errorf("%d lines of history (%v), want those of the earlier training and its card",
			len(history), err)
	}
}

// What needs a trained run says of one that is being trained who does it and how far that is.
func TestUntrainedWhileItIsTrained(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	stopAt(t, run, 7)
	refused(t, "stopped", "isn't trained to the end: train it first")(run.Evaluate(t.Context(),
		Evaluation{}, nil))
	unlock := testkit.Must(run.lock())(t)
	defer unlock()
	_, err := run.Evaluate(t.Context(), Evaluation{}, nil)
	if !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want one that wraps %v", err, ErrLocked)
	}
	for _, want := range []string{"is being trained by process " + strconv.Itoa(os.Getpid()) +
		", at epoch 1 of 3", "wait for its end"} {
		checkError(t, "being trained", err, want)
	}
}
