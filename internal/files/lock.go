package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrLocked is wrapped by the error of a lock that another process, or another call, holds.
var ErrLocked = errors.New("wait for it, or stop it")

// Lock takes the lock at path without waiting, and returns the function that releases it. A lock
// lets one call at a time work on a folder, among all processes. It is a file that is removed when
// the work is done; the file of a process that was killed locks nothing.
//
//	unlock, err := files.Lock(filepath.Join(folder, ".lock"))
func Lock(path string) (unlock func(), err error) {
	for {
		lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
		taken, err := lock.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: %s", err, cure(err))
		case !taken:
			return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command", Holder(path), ErrLocked)
		case !isAt(lock): // removed between opening and locking: it locks nothing
			release(lock)
			continue
		}
		if err := writePID(path); err != nil {
			remove(lock)
			return nil, fmt.Errorf("%w: %s", err, cure(err))
		}
		return func() { remove(lock) }, nil
	}
}

// isAt reports whether the path of a lock still leads to the file that is locked.
func isAt(lock *flock.Flock) bool {
	opened, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(opened, there)
}

// writePID writes the number of this process for Holder. Windows locks the content too.
func writePID(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o644)
}

// remove removes the file while it's still locked, if the system can, then releases the lock.
func remove(lock *flock.Flock) {
	err := os.Remove(lock.Path())
	release(lock)
	if err != nil {
		_ = os.Remove(lock.Path())
	}
}

// release closes the file in any case, which releases the lock.
func release(lock *flock.Flock) { _ = lock.Close() }

// Held reports whether the lock at path is held, without taking it.
func Held(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		release(lock)
	}
	return err == nil && !free
}

// Holder names the process that holds the lock at path, such as "process 4711".
func Holder(path string) string {
	data, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return "process " + pid
	}
	return "another process"
}

// cure returns what helps against an error of a lock's file.
func cure(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "create the folder, or name another one"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only; choose a folder on another one, or copy this one there"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported):
		return "files can't be locked on this file system; choose a folder on another one, such as a local disk"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open; close other programs, or raise the limit (ulimit -n)"
	case errors.Is(err, fs.ErrPermission):
		return "make the folder writable"
	}
	return "choose another folder"
}
