package archive

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll forces the file system of a folder to the disk: one call, because one for each of some
// hundred thousand small files would take hours.
func syncAll(folder string) {
	if directory, err := os.Open(folder); err == nil {
		_ = unix.Syncfs(int(directory.Fd())) // the set is unpacked in any case
		_ = directory.Close()
	}
}
