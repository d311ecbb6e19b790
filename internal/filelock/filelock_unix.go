//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// open opens the file at path and locks it. A file that was removed between the two locks nobody out, so another is made.
func open(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			file.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errHeld
			}
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		if isAt(file, path) {
			return file, nil
		}
		file.Close()
	}
}

// Held says whether somebody holds the lock at path, which it doesn't take: it shares that of a file that was left behind.
func Held(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// isAt says whether a path still leads to an open file.
func isAt(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// release removes the file while it's still locked, then closes it, which gives the lock back.
func release(file *os.File) {
	os.Remove(file.Name())
	file.Close()
}

// staleCure adds nothing here: no lock outlives its process.
func staleCure(string) string { return "" }
