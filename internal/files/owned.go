package files

import (
	"path/filepath"
	"sync"
	"sync/atomic"
)

// owned holds the leases of this process by the folder that they lock.
var owned struct {
	count atomic.Int32
	mu    sync.Mutex
	by    map[string]*lease
}

func (l *lease) register() {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if owned.by == nil {
		owned.by = map[string]*lease{}
	}
	owned.by[folderOf(l.path)] = l
	owned.count.Add(1)
}

func (l *lease) unregister() {
	owned.mu.Lock()
	defer owned.mu.Unlock()
	if owned.by[folderOf(l.path)] == l {
		delete(owned.by, folderOf(l.path))
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
// whose lock this process had by a lease and lost: after being suspended, or cut off from the file
// system. Write checks it, so that two processes never write to one folder.
func CheckOwned(path string) error {
	if owned.count.Load() == 0 {
		return nil
	}
	folder := folderOf(path)
	for range 2 {
		owned.mu.Lock()
		l := owned.by[folder]
		owned.mu.Unlock()
		if l != nil {
			return l.check()
		}
		folder = filepath.Dir(folder)
	}
	return nil
}
