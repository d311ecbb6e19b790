package nbbnn

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbbnn/workbench/internal/files"
)

// ErrStopped is wrapped by the error of cancelled work that was saved. The same call, or the same
// command, continues it.
var ErrStopped = errors.New("stopped and saved; the same call or command continues from there")

// worded is an error of a kind, for example ErrStopped, with another text.
type worded struct {
	text string
	kind error
}

// Error returns the text without the kind's.
func (w worded) Error() string { return w.text }

func (w worded) Unwrap() error { return w.kind }

// stopped makes the error of work that was cancelled before it had anything to save one that wraps
// ErrStopped.
func stopped(err error) error {
	if cancelled(err) {
		return worded{"nbbnn: stopped before there was anything to keep; the same call or " +
			"command starts again", ErrStopped}
	}
	return err
}

// cancelled reports whether an error comes from a context that ended.
func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// UntrainedError reports that something needs a run that is trained to its last epoch. It matches
// ErrLocked while another process trains the run.
type UntrainedError struct {
	Run string // its directory
	State
}

// Error describes the training's progress and what to do.
func (e *UntrainedError) Error() string {
	if e.Holder != "" {
		return fmt.Sprintf("nbbnn: run %s is being trained by %s, at epoch %d of %d: wait for "+
			"its end, then call this again",
			e.Run, e.Holder, e.Epoch, e.Epochs)
	}
	if e.Recorded {
		return fmt.Sprintf("nbbnn: run %s has recorded results and no weights: what its record "+
			"lacks needs its checkpoint, or a training in another directory of runs", e.Run)
	}
	return fmt.Sprintf("nbbnn: run %s isn't trained to the end: train it first (Run.Train)", e.Run)
}

// Is reports whether target is ErrLocked and another process trains the run.
func (e *UntrainedError) Is(target error) bool { return target == ErrLocked && e.Holder != "" }

// ErrLocked is wrapped by the error of work on a run that another process, or another call in this
// one, trains or evaluates. The same call continues from there when that is done.
var ErrLocked = files.ErrLocked

func unwritable(directory string, err error) error {
	return fmt.Errorf("nbbnn: run %s can't be created: %w: choose another directory for runs",
		directory, err)
}

func unwritten(path string, err error) error {
	return fmt.Errorf("nbbnn: %w", files.Unwritten(path, err))
}

func unreadable(err error) error {
	return fmt.Errorf("nbbnn: %w", files.Unreadable(err))
}
