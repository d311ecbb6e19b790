package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrLocked is wrapped by the error of a lock that another process, or another call, holds.
var ErrLocked = errors.New("wait for it, or stop it")

// Replaced by tests.
var (
	tryLock  = (*flock.Flock).TryLock
	areLocal = locksAreLocal
)

// Lock takes the lock at path without waiting, and returns the function that releases it. A lock
// lets one call at a time work on a folder, among all processes. It is a file that is removed when
// the work is done; the file of a process that was killed locks nothing. If the file system can't
// lock files, or not among hosts, a lease does it, which others take over if it isn't renewed.
//
//	unlock, err := files.Lock(filepath.Join(folder, ".lock"))
func Lock(path string) (unlock func(), err error) {
	if areLocal(path) {
		return lockByLease(path)
	}
	for {
		lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
		taken, err := tryLock(lock)
		switch {
		case lacksLocks(err):
			release(lock)
			_ = os.Remove(path) // it locks nothing
			return lockByLease(path)
		case err != nil:
			return nil, fmt.Errorf("%w: %s", err, cure(err))
		case !taken:
			return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command", Holder(path), ErrLocked)
		case !isAt(lock): // removed between opening and locking: it locks nothing
			release(lock)
			continue
		}
		if text := leases.leaseHolder(path); text != "" { // of a host that can't lock here
			remove(lock)
			return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command", holder(text), ErrLocked)
		}
		if err := writeSelf(path); err != nil {
			remove(lock)
			return nil, fmt.Errorf("%w: %s", err, cure(err))
		}
		held := fileLock{lock}
		register(path, held)
		return func() {
			unregister(path, held)
			remove(lock)
		}, nil
	}
}

// lockByLease is Lock for file systems that can't lock files.
func lockByLease(path string) (unlock func(), err error) {
	l, err := leases.acquire(path)
	switch {
	case errors.Is(err, ErrLocked):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, cure(err))
	}
	return l.release, nil
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

// writeSelf names this process for Holder. Windows locks the content too.
func writeSelf(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return os.WriteFile(path, fmt.Appendln(nil, Self()), 0o644)
}

// remove removes the file while it's still locked, if the system can, then releases the lock. After
// the folder was renamed, the path may lead to the lock of another process, which stays.
func remove(lock *flock.Flock) {
	if !isAt(lock) {
		release(lock)
		return
	}
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
	return err == nil && !free || leases.leaseHolder(path) != ""
}

// Holder names the process that holds the lock at path, such as "process 4711", or on another host
// "process 4711 on node7".
func Holder(path string) string {
	if text := leases.leaseHolder(path); text != "" {
		return holder(text)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "another process"
	}
	return holder(string(data))
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
