package nbbnn

import "errors"

// ErrStopped is wrapped by the error of work that was cancelled after what it had done was saved. The same call, or
// the same command, goes on from there.
var ErrStopped = errors.New("stopped and saved; the same call or command goes on from there")
