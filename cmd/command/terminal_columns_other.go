//go:build !unix

package command

import "os"

// terminalColumns says whether a file is a terminal, and how wide it is: 0 when that isn't known.
func terminalColumns(file *os.File) (columns int, terminal bool) {
	info, err := file.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}
