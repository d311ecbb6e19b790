package nbbnn

import (
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/filelock"
)

// ErrLocked is wrapped by the error of work on a run that another process, or another call in this one, is at. The same call
// goes on from there when that is done.
var ErrLocked = filelock.ErrLocked

// lock makes this call the only one that writes to the run, until unlock.
func (r *Run) lock() (unlock func(), err error) { return lockDirectory(r.directory) }

// Held says whether a process trains or evaluates the run at this moment.
func (r *Run) Held() bool { return filelock.Held(r.path("lock")) }

// holder names the process that trains or evaluates the run at this moment, such as "process 4711"; "" if there's none.
func (r *Run) holder() string {
	if !r.Held() {
		return ""
	}
	return filelock.Holder(r.path("lock"))
}

// lockDirectory does the same for any directory with results.
func lockDirectory(directory string) (unlock func(), err error) {
	unlock, err = filelock.Lock(filepath.Join(directory, "lock"))
	if err != nil {
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w", directory, err)
	}
	return unlock, nil
}
