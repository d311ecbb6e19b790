package nbbnn

import (
	"context"
	"errors"
)

// ErrStopped is wrapped by the error of work that was cancelled after what it had done was saved. The same call, or
// the same command, goes on from there.
var ErrStopped = errors.New("stopped and saved; the same call or command goes on from there")

// worded is an error of a kind, such as ErrStopped, that says in words of its own what happened.
type worded struct {
	text string
	kind error
}

func (w worded) Error() string { return w.text }

func (w worded) Unwrap() error { return w.kind }

// stopped makes the error of work that was cancelled before it had anything to save one that wraps ErrStopped.
func stopped(err error) error {
	if cancelled(err) {
		return worded{"nbbnn: stopped before there was anything to keep; the same call or command begins again", ErrStopped}
	}
	return err
}

// cancelled says whether an error is that of a context that ended.
func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
