package archive

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncTree forces a folder and all in it to the disk: in one call for the whole file system,
// because a call for each of some hundred thousand small files would take hours.
func syncTree(folder string) error {
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer directory.Close()
	if unix.Syncfs(int(directory.Fd())) == nil {
		return nil
	}
	return syncEach(folder)
}
