// Package filelock lets one call at a time work on a folder, among all processes. The lock is a file, which is removed when the
// work is done; where the system can lock files, one that a killed process left behind locks nothing.
//
//	unlock, err := filelock.Lock(filepath.Join(folder, ".lock"))
package filelock

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrLocked is wrapped by the error of a lock that another process, or another call in this one, holds.
var ErrLocked = errors.New("wait for it, or stop it")

// errHeld is what open returns when somebody else holds the lock.
var errHeld = errors.New("held")

// Lock takes the lock at path without waiting, and returns what gives it back.
func Lock(path string) (unlock func(), err error) {
	file, err := open(path)
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("%s is at work: %w%s; the same call or command then goes on", Holder(path), ErrLocked, staleCure(path))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, cure(err))
	}
	if err := cmp.Or(file.Truncate(0), writePID(file)); err != nil {
		release(file)
		return nil, fmt.Errorf("%w: %s", err, cure(err))
	}
	return func() { release(file) }, nil
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintf(file, "%d\n", os.Getpid())
	return err
}

// Holder names the process that holds the lock at path, such as "process 4711".
func Holder(path string) string {
	data, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return "process " + pid
	}
	return "another process"
}
