//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// separate keeps a terminal's Ctrl-C from a process, which gets SIGTERM from us instead, once. A
// second signal would end the process before it has saved.
func separate(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
}

// terminate asks a process to save and end.
func terminate(process *os.Process) { _ = process.Signal(syscall.SIGTERM) }
