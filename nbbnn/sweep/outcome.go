package sweep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// ErrNever is wrapped by errors that no repetition cures: a wrong index, an edited manifest, a
// configuration that this program can't train, or a loss that isn't finite.
var ErrNever = errors.New("a repetition changes nothing")

// never is an error that wraps ErrNever, and says nothing more than the error.
type never struct{ error }

func (n never) Unwrap() error { return n.error }

// Is reports whether target is ErrNever.
func (n never) Is(target error) bool { return target == ErrNever }

// judge marks an error of a point with ErrNever if the same point ends like this again: unless the
// system failed, or the work was stopped, or another process does it.
func judge(err error) error {
	var broken network.NotFiniteError
	var untrained *nbbnn.UntrainedError
	switch {
	case err == nil || errors.Is(err, nbbnn.ErrStopped) || errors.Is(err, nbbnn.ErrLocked) || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &broken), errors.As(err, &untrained) && untrained.Recorded:
		return never{err}
	}
	return err
}

// JudgeOpen marks an error before the work with ErrNever, unless it is the system's. What is left
// is a configuration or a directory that the program refuses, or a data set that is missing.
func JudgeOpen(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var number syscall.Errno
	if err == nil || errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &number) {
		return err
	}
	return never{err}
}
