package nbbnn

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
)

// Of calls that restore one run at once, one does, and the others find it or its lock.
func TestRestoreAtOnce(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	record := recordOf(t, run.Directory())
	for range 20 {
		elsewhere := t.TempDir()
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { _, errs[i] = Restore(elsewhere, record) })
		}
		group.Wait()
		restored := 0
		for _, err := range errs {
			switch {
			case err == nil:
				restored++
			case !errors.Is(err, ErrThere) && !errors.Is(err, ErrLocked):
				t.Errorf("error %v, want %v or %v", err, ErrThere, ErrLocked)
			}
		}
		if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 1 || restored != 1 {
			t.Fatalf("%d calls restored the run, and %v is there (%v)", restored, entries, err)
		}
		if history, err := openRun(t, elsewhere, config).History(); err != nil || len(history) != 2 {
			t.Errorf("the restored run has %d lines of history (%v), want 2", len(history), err)
		}
	}
}

// What a killed call left of any run is removed, and the folder of a call at work stays.
func TestRestoreSweepsWhatKilledCallsLeft(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	elsewhere := t.TempDir()
	left, atWork := filepath.Join(elsewhere, restoredPrefix+"left"), filepath.Join(elsewhere, restoredPrefix+"work")
	own := restoredFolder(filepath.Join(elsewhere, filepath.Base(run.Directory())))
	for _, folder := range []string{left, atWork, own} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "other.csv"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := files.Lock(atWork + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	path, err := Restore(elsewhere, recordOf(t, run.Directory()))
	if err != nil {
		t.Fatal(err)
	}
	if exists(left) || exists(own) || exists(filepath.Join(path, "other.csv")) || !exists(atWork) {
		t.Errorf("what was left is there: %t and %t; in the run: %t; the folder of the call at work is there: %t",
			exists(left), exists(own), exists(filepath.Join(path, "other.csv")), exists(atWork))
	}
}

// While a call restores a run, another one says who does.
func TestRestoreOfALockedRun(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	elsewhere := t.TempDir()
	unlock, err := files.Lock(restoredFolder(filepath.Join(elsewhere, filepath.Base(run.Directory()))) + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Restore(elsewhere, recordOf(t, run.Directory()))
	unlock()
	if !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want %v", err, ErrLocked)
	}
}
