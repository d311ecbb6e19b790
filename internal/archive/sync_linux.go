package archive

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll forces the file system of a folder to the disk: one call, because one for each of some
// hundred thousand small files would take hours.
func syncAll(folder string) error {
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer directory.Close()
	return unix.Syncfs(int(directory.Fd()))
}
