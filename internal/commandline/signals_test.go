package commandline

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// A closed terminal ends a command as control-C does, with its work saved, unless nohup started it.
func TestClosedTerminalStopsACommand(t *testing.T) {
	if !signal.Ignored(syscall.SIGHUP) &&
		!slices.Contains(StopSignals(), os.Signal(syscall.SIGHUP)) {
		t.Error("SIGHUP isn't among the signals that stop a command")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(StopSignals(), os.Signal(syscall.SIGHUP)) {
		t.Error("SIGHUP stops a command that nohup started")
	}
}
