package nbbnn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// restoredPrefix begins the names of the folders in which Restore writes a run before it's in its
// place. A lock of the same name lets one call at a time write there.
const restoredPrefix = ".restored-"

// restoredFolder returns the path of that folder for a run or an ensemble.
func restoredFolder(directory string) string {
	return filepath.Join(filepath.Dir(directory), restoredPrefix+filepath.Base(directory))
}

// place writes a record beside its directory, and gives it the directory's name if it passes a
// check. So a killed call leaves a hidden folder, which the next one removes, and never half of a
// run. kind is "run" or "ensemble", and isThere reports whether it's in its place.
func place(kind, directory string, record Record, isThere func() bool, check func(folder string) error) error {
	there := fmt.Errorf("nbbnn: %s %s: %w", kind, directory, ErrThere)
	if isThere() {
		return there
	}
	if err := files.MakeFolder(filepath.Dir(directory)); err != nil {
		return unwritable(directory, err)
	}
	beside := restoredFolder(directory)
	unlock, err := files.Lock(beside + ".lock")
	if err != nil {
		return fmt.Errorf("nbbnn: %s can't be restored: %w", directory, err)
	}
	defer unlock()
	if isThere() { // another call was faster
		return there
	}
	defer os.RemoveAll(beside)
	if err := writeRecord(beside, record); err != nil {
		return unwritable(directory, err)
	}
	if err := check(beside); err != nil {
		return record.located(err, beside)
	}
	if err := makeWay(directory); err != nil {
		return err
	}
	if err := os.Rename(beside, directory); err != nil {
		return unwritable(directory, err)
	}
	return nil
}

// writeRecord writes the files of a record into a folder of its own.
func writeRecord(folder string, record Record) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := files.MakeFolder(folder); err != nil {
		return err
	}
	for name, file := range record {
		if err := files.WriteBytes(filepath.Join(folder, name), file.Content); err != nil {
			return err
		}
	}
	return nil
}

// sweepRestored removes what killed calls of Restore left in a directory of runs. The folder of a
// call that is at work is locked and stays, as does what can't be removed.
func sweepRestored(runs string) {
	entries, _ := os.ReadDir(runs) // without the directory nothing is left
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), restoredPrefix) {
			continue
		}
		folder := filepath.Join(runs, entry.Name())
		if unlock, err := files.Lock(folder + ".lock"); err == nil {
			_ = os.RemoveAll(folder)
			unlock()
		}
	}
}

// makeWay removes the empty folder that a stopped command may leave at the place of a run. Anything
// else there stays, and is an error.
func makeWay(directory string) error {
	info, err := os.Lstat(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(directory, err)
	}
	if lock := filepath.Join(directory, "lock"); files.Held(lock) {
		return fmt.Errorf("nbbnn: %s is being trained by %s: wait for its end, or restore into another directory for runs", directory, files.Holder(lock))
	}
	if err = errors.New("it isn't a folder"); info.IsDir() {
		err = os.Remove(directory)
	}
	if err != nil {
		return fmt.Errorf("nbbnn: %s is there and holds no trained run: restore into another directory for runs, or move it away: %w", directory, err)
	}
	return nil
}
