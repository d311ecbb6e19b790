//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package nbbnn

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens the file at path and locks it, without waiting.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return file, nil
}

// unlockFile releases the lock, which closing does.
func unlockFile(file *os.File) { file.Close() }

// staleLock adds nothing here: no lock outlives its process.
func staleLock(string) string { return "" }
