package command

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// fullDisk is an output that takes nothing.
type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

// Output that can't be written is a failure; a reader that has seen enough is none.
func TestFullOutputIsAFailure(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{{syscall.ENOSPC, exitFailed}, {syscall.EPIPE, exitDone}} {
		for _, args := range [][]string{{"corrupt", "list"}, {"runs", "--json"}} {
			var problems bytes.Buffer
			status := run(t.Context(), append(args, "--runs", t.TempDir()), streams{out: fullDisk{c.err}, err: &problems})
			if status != c.status || c.status == exitFailed && !strings.Contains(problems.String(), "can't be written") {
				t.Errorf("%v, %v: status %d, %q, want %d", args, c.err, status, problems.String(), c.status)
			}
		}
	}
}

// Without a home directory everything works that needs no file from there.
func TestRunsWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "NBBNN_DATA"} {
		t.Setenv(name, "")
	}
	if _, stderr, status := execute(t, append(tinyRun(t.TempDir()), "--epochs", "1")...); status != exitDone {
		t.Errorf("status %d: %s", status, stderr)
	}
}
