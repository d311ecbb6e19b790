package nbbnn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked is wrapped by the error of work on a run that another process, or another call in this one, is at. The same call
// goes on from there when that is done.
var ErrLocked = errors.New("wait for it, or stop it")

// errLocked is what lockFile returns when another process, or another call in this one, holds the lock.
var errLocked = errors.New("locked")

// lock makes this call the only one that writes to the run, until unlock. The file itself stays: what counts is the lock on
// it, which the system releases when the process ends, however it ends.
func (r *Run) lock() (unlock func(), err error) { return lockDirectory(r.directory) }

func lockDirectory(directory string) (unlock func(), err error) {
	path := filepath.Join(directory, "lock")
	file, err := lockFile(path)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("nbbnn: run %s is at work in %s: %w%s", directory, holder(path), ErrLocked, staleLock(path))
	}
	if err != nil {
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w: make the directory writable", directory, err)
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		unlockFile(file)
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w: make the directory writable", directory, err)
	}
	return func() { unlockFile(file) }, nil
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintf(file, "%d\n", os.Getpid())
	return err
}

// holder names the process that holds a lock.
func holder(path string) string {
	data, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return "process " + pid
	}
	return "another process"
}
