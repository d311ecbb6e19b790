//go:build unix

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalColumns says whether a file is a terminal, and how wide it is.
func terminalColumns(file *os.File) (columns int, terminal bool) {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
