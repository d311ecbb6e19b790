package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// Exit statuses.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 75 // EX_TEMPFAIL: run me again
)

// run executes a command line and returns the exit status. Errors are one line on standard error.
func run(ctx context.Context, args []string, streams streams) int {
	root := newRoot(streams)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	status := exitStatus(err)
	switch status {
	case exitDone:
	case exitStopped:
		fmt.Fprintln(streams.err, streams.paint(yellow, stoppedLabel(err))+err.Error())
	default:
		fmt.Fprintln(streams.err, streams.paint(red, "error")+"    "+err.Error())
	}
	return status
}

// stoppedLabel begins the line of an error with exitStopped, one of which says itself that the work stopped.
func stoppedLabel(err error) string {
	if errors.Is(err, nbbnn.ErrStopped) {
		return "note     "
	}
	return "stopped  "
}

func exitStatus(err error) int {
	switch {
	case err == nil:
		return exitDone
	case commandline.IsUsage(err):
		return exitUsage
	case errors.Is(err, nbbnn.ErrStopped), errors.Is(err, nbbnn.ErrLocked), errors.Is(err, context.Canceled):
		return exitStopped
	default:
		return exitFailed
	}
}
