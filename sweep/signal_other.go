//go:build !unix

package sweep

import (
	"os"
	"os/exec"
)

// alone does nothing: a Ctrl-C reaches all processes of a console.
func alone(*exec.Cmd) {}

// terminate ends a process; what it did since its last checkpoint is done again.
func terminate(process *os.Process) { _ = process.Kill() }
