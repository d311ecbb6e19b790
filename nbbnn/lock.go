package nbbnn

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/filelock"
)

// ErrLocked is wrapped by the error of work on a run that another process, or another call in this one,
// trains or evaluates. The same call continues from there when that is done.
var ErrLocked = filelock.ErrLocked

// lock takes the run's lock and makes its directory with config.json, if they aren't there: the first step
// of everything that writes to a run. A process that was killed in between leaves a directory that the next
// call completes.
func (r *Run) lock() (unlock func(), err error) {
	if err := os.MkdirAll(r.directory, 0o755); err != nil {
		return nil, unwritable(r.directory, err)
	}
	if unlock, err = lockDirectory(r.directory); err != nil {
		return nil, err
	}
	there, err := r.checkConfig()
	if err == nil && !there {
		err = r.writeConfig()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// checkFree returns the error of lock if the run is locked now, without making anything.
func (r *Run) checkFree() error {
	if !r.Held() {
		return nil
	}
	unlock, err := lockDirectory(r.directory)
	if err == nil {
		unlock()
	}
	return err
}

// Held reports whether a process trains or evaluates the run at this moment.
func (r *Run) Held() bool { return filelock.Held(r.path("lock")) }

// holder names the process that trains or evaluates the run at this moment, such as "process 4711"; ""
// if there's none.
func (r *Run) holder() string {
	if !r.Held() {
		return ""
	}
	return filelock.Holder(r.path("lock"))
}

// lockDirectory takes the lock of a directory with results.
func lockDirectory(directory string) (unlock func(), err error) {
	unlock, err = filelock.Lock(filepath.Join(directory, "lock"))
	if err != nil {
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w", directory, err)
	}
	return unlock, nil
}
