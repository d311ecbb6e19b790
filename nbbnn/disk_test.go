package nbbnn

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/powercut"
)

// shortConfig is a training that is repeated many times.
func shortConfig() Config {
	config := tinyConfig()
	config.Data.Train, config.Training.Epochs = 8, 2
	return config
}

// Whenever the power fails during a training, the run opens in a state that it had, and the
// training continues to the same weights.
func TestTrainingSurvivesPowerCuts(t *testing.T) {
	root := t.TempDir()
	run := openRun(t, filepath.Join(root, "runs"), shortConfig())
	record, err := powercut.NewRecord(root, func() error {
		return run.TrainWith(t.Context(), TrainOptions{KeepEvery: 2})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := trainedCard(t, run).WeightsSHA256
	place, states := t.TempDir(), 0
	for state := range record.States() {
		if err := state.Restore(place); err != nil {
			t.Fatal(err)
		}
		states++
		again := openRun(t, filepath.Join(place, "runs"), shortConfig())
		if _, err := again.History(); err != nil {
			t.Errorf("after %d steps: %v", state.Steps, err)
		}
		if got := trainedCard(t, again).WeightsSHA256; got != want {
			t.Errorf("after %d steps: the weights are %.12s, want %.12s", state.Steps, got, want)
		}
	}
	if states < len(record.Steps)/3 {
		t.Errorf("%d states of %d steps, want more", states, len(record.Steps))
	}
}

// failAt lets the step with a number fail, until stop is called, which reports whether there was
// such a step. Of a failing write, half of the content reaches the file.
func failAt(number int, with error) (stop func() (failed bool)) {
	count := 0
	end := files.Observe(func(step files.Step) error {
		count++
		if count-1 != number {
			return nil
		}
		if step.Operation == files.WriteContent {
			if file, err := os.OpenFile(step.Path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
				_, _ = file.Write(step.Content[:len(step.Content)/2])
				_ = file.Close()
			}
		}
		return with
	})
	return func() bool { end(); return count > number }
}

// Whichever step of writing fails (every third one is tried), training and evaluation end with an
// error that names a file of the run and leave nothing temporary; repeated, they give the same
// weights and cells.
func TestFailingDiskLosesNothing(t *testing.T) {
	const every = 3 // steps; tools/attack tries each
	evaluation := Evaluation{Part: CleanPart, Samples: 2, Images: 4}
	undisturbed := openRun(t, t.TempDir(), shortConfig())
	want := trainedCard(t, undisturbed).WeightsSHA256
	cells, err := undisturbed.Evaluate(t.Context(), evaluation, nil)
	if err != nil {
		t.Fatal(err)
	}
	work := func(run *Run) error {
		if err := run.Train(t.Context(), nil); err != nil {
			return err
		}
		_, err := run.Evaluate(t.Context(), evaluation, nil)
		return err
	}
	faults := []error{syscall.ENOSPC, syscall.EIO}
	for number, failed := 0, true; failed; number += every {
		run := openRun(t, t.TempDir(), shortConfig())
		fault := faults[number%len(faults)]
		stop := failAt(number, fault)
		err := work(run)
		failed = stop()
		if failed && (!errors.Is(err, fault) || !strings.Contains(err.Error(), run.Directory())) {
			t.Errorf("step %d: error %v, want %v of a file of the run", number, err, fault)
		}
		if failed {
			if err := work(run); err != nil {
				t.Errorf("step %d: repeated: %v", number, err)
				continue
			}
		}
		again, err := run.Cells(evaluation)
		if err != nil || encoded(t, again) != encoded(t, cells) || trainedCard(t, run).WeightsSHA256 != want {
			t.Errorf("step %d: other weights or cells (%v)", number, err)
		}
		if left := temporary(t, run.Directory()); len(left) > 0 {
			t.Errorf("step %d: %v are left", number, left)
		}
	}
}

// temporary returns the temporary files below a folder.
func temporary(t *testing.T, folder string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".tmp" {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}
