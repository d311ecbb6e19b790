package files

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"
)

// holding is a lock that this process holds, of a file or by a lease.
type holding interface {
	check() error // wraps ErrLocked if the lock was lost
}

// owned has the locks that this process holds, by the folder that they lock.
var owned struct {
	count atomic.Int32
	mu    sync.Mutex
	by    map[string]holding
}

// register makes CheckOwned look at a lock.
func register(path string, h holding) {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if owned.by == nil {
		owned.by = map[string]holding{}
	}
	owned.by[folderOf(path)] = h
	owned.count.Add(1)
}

func unregister(path string, h holding) {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if owned.by[folderOf(path)] == h {
		delete(owned.by, folderOf(path))
	}
	owned.count.Add(-1)
}

// fileLock is a lock of a file, which locks nothing once the file is removed or replaced.
type fileLock struct{ *flock.Flock }

func (l fileLock) check() error {
	if isAt(l.Flock) {
		return nil
	}
	return fmt.Errorf("the lock %s was removed, so another process may have begun the same work: %w; then repeat the call or command",
		l.Path(), ErrLocked)
}

// folderOf returns the absolute folder of a file.
func folderOf(path string) string {
	folder := filepath.Dir(path)
	if absolute, err := filepath.Abs(folder); err == nil {
		return absolute
	}
	return folder
}

// CheckOwned returns an error that wraps ErrLocked if path is in a folder, or in a folder of one,
// whose lock this process had and lost: because someone removed its file, or, if it was a lease,
// after being suspended or cut off from the file system. Write checks it, so that two processes
// never write to one folder.
func CheckOwned(path string) error {
	if owned.count.Load() == 0 {
		return nil
	}
	folder := folderOf(path)
	for range 2 {
		owned.mu.Lock()
		h := owned.by[folder]
		owned.mu.Unlock()
		if h != nil {
			return h.check()
		}
		folder = filepath.Dir(folder)
	}
	return nil
}
