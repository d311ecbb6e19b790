//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import (
	"errors"
	"io/fs"
	"os"
)

// open creates the file at path, whose existence is the lock where files can't be locked.
func open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, errHeld
	}
	return file, err
}

// Held says whether somebody holds the lock at path, or was killed while holding it.
func Held(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// release removes the file.
func release(file *os.File) {
	file.Close()
	os.Remove(file.Name())
}

// staleCure is what helps against the lock of a process that was killed.
func staleCure(path string) string { return ", or remove " + path + " if no such process runs" }
