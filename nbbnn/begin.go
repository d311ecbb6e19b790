package nbbnn

import (
	"os"
	"path/filepath"
)

// begin makes this call the only one that writes to the run, whose directory it makes again where that is gone, until end. A run
// of which nothing was trained then leaves nothing behind.
func (r *Run) begin() (end func(), err error) {
	if err := os.MkdirAll(r.directory, 0o755); err != nil {
		return nil, unwritable(r.directory, err)
	}
	unlock, err := r.lock()
	if err != nil {
		return nil, err
	}
	leave := func() {
		unlock()
		_ = os.Remove(r.directory) // one with something in it stays
	}
	if err := r.settle(); err != nil { // who had the lock before may have left nothing
		leave()
		return nil, err
	}
	return func() { r.removeUntrained(); leave() }, nil
}

// RemoveUntrained removes the directory of a run of which nothing was trained, unless a process is at it. Training makes it again.
func (r *Run) RemoveUntrained() {
	if end, err := r.begin(); err == nil {
		end()
	}
}

// removeUntrained removes the files of a run that has neither a trained epoch nor a checkpoint, nor results of an earlier training.
func (r *Run) removeUntrained() {
	history, err := r.History()
	if err != nil || len(history) > 1 || r.Begun() || exists(r.path("card.json")) || exists(r.path("cells.csv")) {
		return
	}
	removeAll([]string{r.historyPath(), r.path("labels.csv"), filepath.Dir(r.checkpointPath()), r.path("config.json")})
}
