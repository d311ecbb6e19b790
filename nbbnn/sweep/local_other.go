//go:build !unix

package sweep

import (
	"os"
	"os/exec"
)

// separate does nothing: a Ctrl-C reaches all processes of a console.
func separate(*exec.Cmd) {}

// terminate does nothing: the end of its standard input asks a process to save and end.
func terminate(*os.Process) {}
