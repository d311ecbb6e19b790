//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package nbbnn

import (
	"errors"
	"io/fs"
	"os"
)

// lockFile creates the file at path, whose existence is the lock where files can't be locked.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, errLocked
	}
	return file, err
}

// unlockFile removes the file.
func unlockFile(file *os.File) {
	file.Close()
	os.Remove(file.Name())
}

// staleLock is the cure for the lock of a process that was killed.
func staleLock(path string) string { return ", or remove " + path + " if no such process runs" }
