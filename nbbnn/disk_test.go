package nbbnn

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// shortConfig is a training that is repeated many times.
func shortConfig() Config {
	config := tinyConfig()
	config.Data.Train, config.Training.Epochs = 8, 2
	return config
}

// shortEvaluation is the test of such a training.
var shortEvaluation = Evaluation{Part: CleanPart, Samples: 2, Images: 4}

// trainAndTest does both and returns the checksum of the weights with the cells.
func trainAndTest(t *testing.T, run *Run) (string, error) {
	t.Helper()
	if err := run.TrainWith(t.Context(), TrainOptions{KeepEvery: 2}); err != nil {
		return "", err
	}
	cells, err := run.Evaluate(t.Context(), shortEvaluation, nil)
	if err != nil {
		return "", err
	}
	card, err := run.Card()
	return card.WeightsSHA256 + encoded(t, cells), err
}

// Whenever the power fails during a training and its test, the run opens in a state that it had,
// and both continue to the same weights and cells.
func TestTrainingSurvivesPowerCuts(t *testing.T) {
	root := t.TempDir()
	run := openRun(t, filepath.Join(root, "runs"), shortConfig())
	want := ""
	steps, err := recordDisk(root, func() (err error) {
		want, err = trainAndTest(t, run)
		return err
	})
	testkit.NoError(t, err)
	place, states := t.TempDir(), 0
	for done, content := range statesAfterCuts(nil, steps) {
		testkit.NoError(t, content.restore(place))
		states++
		again := openRun(t, filepath.Join(place, "runs"), shortConfig())
		testkit.Must(again.History())(t)
		if got, err := trainAndTest(t, again); got != want {
			t.Errorf("after %d steps: weights and cells are %.100s (%v), want %.100s", done, got,
				err, want)
		}
		if left := temporary(t, place); len(left) > 0 {
			t.Errorf("after %d steps: %v are left", done, left)
		}
	}
	if states < len(steps)/3 {
		t.Errorf("%d states of %d steps, want more", states, len(steps))
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

var diskEvery = flag.Int("disk-every", 6, "let each of so many steps of writing fail; 1 tries all")

// Whichever step of writing fails, training and evaluation end with an error that names a file of
// the run and leave nothing temporary; repeated, they give the same weights and cells.
func TestFailingDiskLosesNothing(t *testing.T) {
	want := testkit.Must(trainAndTest(t, openRun(t, t.TempDir(), shortConfig())))(t)
	for i, fault := range []error{syscall.ENOSPC, syscall.EIO} {
		for number, failed := i**diskEvery/2, true; failed; number += *diskEvery {
			run := openRun(t, t.TempDir(), shortConfig())
			stop := failAt(number, fault)
			_, err := trainAndTest(t, run)
			failed = stop()
			if failed &&
				(!errors.Is(err, fault) || !strings.Contains(err.Error(), run.Directory())) {
				t.Errorf("step %d: error %v, want %v of a file of the run", number, err, fault)
			}
			if got, err := trainAndTest(t, run); got != want {
				t.Errorf("step %d: weights and cells are %.100s (%v), want %.100s", number, got,
					err, want)
			}
			if left := temporary(t, run.Directory()); len(left) > 0 {
				t.Errorf("step %d: %v are left", number, left)
			}
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
	testkit.NoError(t, err)
	return left
}
