package commandline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Exit statuses.
const (
	Done    = 0
	Failed  = 1
	Misused = 2
	Stopped = 75 // EX_TEMPFAIL: run the command again
)

// Run executes a tool's command line until it ends or is interrupted, and returns the exit status.
// An error is one line on stderr.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, StopSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(FlagError)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "error    "+quantity.PrintableLines(err.Error()))
	}
	switch {
	case err == nil:
		return Done
	case IsUsage(err):
		return Misused
	case errors.Is(err, context.Canceled):
		return Stopped
	default:
		return Failed
	}
}

// StopSignals are the signals after which a command saves its work and ends: control-C, the request
// to terminate, and a closed terminal, unless nohup had that ignored.
func StopSignals() []os.Signal {
	all := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Version returns the commit of a build from source, or the version of the module.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return info.Main.Version
}
