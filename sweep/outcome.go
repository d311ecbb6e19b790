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

// Never marks an error with ErrNever.
func Never(err error) error { return never{err} }

// never is an error that wraps ErrNever, and says nothing more than the error.
type never struct{ error }

func (n never) Unwrap() error { return n.error }

// Is reports whether target is ErrNever.
func (n never) Is(target error) bool { return target == ErrNever }

// judge marks an error of a point with ErrNever if the same point ends like this again: unless the
// system failed, or the work was stopped, or another process does it.
func judge(err error) error {
	var broken network.NotFiniteError
	switch {
	case err == nil || errors.Is(err, nbbnn.ErrStopped) || errors.Is(err, nbbnn.ErrLocked) || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &broken):
		return never{err}
	}
	return err
}

// judgeOpen is judge for an error before the work: what isn't the system's is a configuration or a
// directory that the program refuses.
func judgeOpen(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var number syscall.Errno
	if err == nil || errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &number) {
		return err
	}
	return never{err}
}
