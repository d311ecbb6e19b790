package files

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"
)

// owned has the locks that this process holds, by the folder that they lock.
var owned struct {
	count atomic.Int32
	mu    sync.Mutex
	by    map[string]*flock.Flock
}

// register makes CheckOwned look at a lock.
func register(lock *flock.Flock) {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if owned.by == nil {
		owned.by = map[string]*flock.Flock{}
	}
	owned.by[folderOf(lock.Path())] = lock
	owned.count.Add(1)
}

func unregister(lock *flock.Flock) {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if folder := folderOf(lock.Path()); owned.by[folder] == lock {
		delete(owned.by, folder)
	}
	owned.count.Add(-1)
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
// whose lock this process had and lost because its file was removed or replaced. Write checks it,
// so that two processes never write to one folder.
func CheckOwned(path string) error {
	if owned.count.Load() == 0 {
		return nil
	}
	folder := folderOf(path)
	for range 2 {
		owned.mu.Lock()
		lock := owned.by[folder]
		owned.mu.Unlock()
		if lock != nil && !isAt(lock) {
			return fmt.Errorf("the lock %s was removed, so another process may have begun the same work: %w; then repeat the call or command",
				lock.Path(), ErrLocked)
		}
		if lock != nil {
			return nil
		}
		folder = filepath.Dir(folder)
	}
	return nil
}
