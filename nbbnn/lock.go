package nbbnn

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// errLocked is what lockFile returns when another process, or another call in this one, holds the lock.
var errLocked = errors.New("locked")

// lock makes this call the only one that writes to the run, until unlock. The file itself stays: what counts is the lock on
// it, which the system releases when the process ends, however it ends.
func (r *Run) lock() (unlock func(), err error) {
	path := r.path("lock")
	file, err := lockFile(path)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("nbbnn: run %s is at work in %s: wait for it, or stop it%s", r.directory, holder(path), staleLock(path))
	}
	if err != nil {
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w: make the directory writable", r.directory, err)
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		unlockFile(file)
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w: make the directory writable", r.directory, err)
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
