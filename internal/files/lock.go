package files

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrLocked is wrapped by the error of a lock that another process, or another call, holds.
var ErrLocked = errors.New("wait for it, or stop it")

// singleWriter is the environment variable that, set to 1, allows work where files can't be locked
// among hosts. It promises that one process at a time writes to each folder.
const singleWriter = "NBBNN_NO_LOCK"

var errLocalLocks = errors.New("its locks keep out processes of this host only")

// Replaced by tests.
var (
	tryLock  = (*flock.Flock).TryLock
	areLocal = locksAreLocal
)

// Lock takes the lock at path without waiting, and returns the function that releases it. A lock
// lets one call at a time work on a folder, among all processes. It is a file that is removed when
// the work is done; the file of a process that was killed locks nothing.
//
//	unlock, err := files.Lock(filepath.Join(folder, ".lock"))
func Lock(path string) (unlock func(), err error) {
	single := os.Getenv(singleWriter) == "1"
	if areLocal(path) && !single {
		return nil, unlockable(path, errLocalLocks)
	}
	for {
		lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
		taken, err := tryLock(lock)
		switch {
		case lacksLocks(err):
			release(lock) // the file stays: a host that can lock may hold it
			if single {
				return func() {}, nil
			}
			return nil, unlockable(path, err)
		case err != nil:
			return nil, fmt.Errorf("%w: make the folder writable, choose another one, or work on a copy", err)
		case !taken:
			return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command", Holder(path), ErrLocked)
		case !isAt(lock): // removed between opening and locking: it locks nothing
			release(lock)
			continue
		}
		if err := writeSelf(path); err != nil {
			remove(lock)
			return nil, fmt.Errorf("%w: make the folder writable, choose another one, or work on a copy", err)
		}
		return func() { remove(lock) }, nil
	}
}

// unlockable returns the error of a lock on a file system that can't lock files among hosts.
func unlockable(path string, reason error) error {
	return fmt.Errorf("can't lock %s: %w: choose a folder on another file system, or set %s=1 if one process at a time writes there",
		path, reason, singleWriter)
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
	return err == nil && !free
}

// Holder names the process that holds the lock at path, such as "process 4711", or on another host
// "process 4711 on node7".
func Holder(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "another process"
	}
	return holder(string(data))
}
