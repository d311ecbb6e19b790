//go:build unix

package lab

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

// The program of a cell ends when the kernel ends that should confirm what it shows, as after a
// restart, whether it shows something more or only waits. It runs as a process of its own, because
// the display library opens its pipes once.
func TestCellEndsWithItsKernel(t *testing.T) {
	if gonbui.IsNotebook {
		endWithTheKernel(lastCalls[os.Getenv(lastCallVariable)])
	}
	for call := range lastCalls {
		t.Run(call, func(t *testing.T) { checkCellEnds(t, call) })
	}
}

// lastCallVariable is the environment variable that names the call of lastCalls to end with.
const lastCallVariable = "NBBNN_LAST_CALL"

var lastCalls = map[string]func() error{
	"flush": func() error { return flush() },
	"show": func() error {
		return show(viz.Table{Header: []string{"NLL"}, Rows: [][]string{{"0.3"}}})
	},
}

// checkCellEnds starts a cell and ends its kernel before the cell's last call.
func checkCellEnds(t *testing.T, call string) {
	there, back := filepath.Join(t.TempDir(), "there"), filepath.Join(t.TempDir(), "back")
	if err := errors.Join(syscall.Mkfifo(there, 0o600), syscall.Mkfifo(back, 0o600)); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cell := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestCellEndsWithItsKernel$")
	cell.Env = append(os.Environ(), lastCallVariable+"="+call,
		protocol.GONB_PIPE_ENV+"="+there, protocol.GONB_PIPE_BACK_ENV+"="+back)
	gone := testkit.Must(cell.StdinPipe())(t)
	testkit.NoError(t, cell.Start())
	endAfterOneMessage(t, there, back)
	gone.Close()
	if err := cell.Wait(); cell.ProcessState.ExitCode() != endedAlone {
		t.Errorf("the cell without a kernel ended with %v (%v), want status %d", cell.ProcessState,
			err, endedAlone)
	}
}

// endedAlone is the status of a cell that has noticed that its kernel is gone.
const endedAlone = 7

// endWithTheKernel shows something, waits until the kernel is gone and makes the last call twice.
func endWithTheKernel(lastCall func() error) {
	Interruptible()
	gonbui.DisplayHTML("first")
	io.Copy(io.Discard, os.Stdin)
	if lastCall() == nil || errors.Is(lastCall(), errNotebookLate) {
		os.Exit(1)
	}
	os.Exit(endedAlone)
}

// endAfterOneMessage plays a kernel that ends when the cell has shown something.
func endAfterOneMessage(t *testing.T, there, back string) {
	t.Helper()
	input := testkit.Must(os.Open(there))(t)
	defer input.Close()
	output := testkit.Must(os.OpenFile(back, os.O_WRONLY, 0))(t)
	defer output.Close()
	var message protocol.DisplayData
	testkit.NoError(t, gob.NewDecoder(input).Decode(&message))
}
