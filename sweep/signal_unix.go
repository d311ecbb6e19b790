//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// alone keeps a terminal's Ctrl-C from a process: it comes from us, once, as SIGTERM. A second
// signal would end the process before it has saved.
func alone(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
}

// terminate asks a process to save and end.
func terminate(process *os.Process) { _ = process.Signal(syscall.SIGTERM) }
