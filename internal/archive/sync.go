package archive

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// syncEach forces the files and folders below a folder to the disk, one by one.
func syncEach(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncOne(path, entry.IsDir())
	})
}

// syncOne forces a file or the names in a folder to the disk. Windows can't do the latter.
func syncOne(path string, isFolder bool) error {
	mode := os.O_RDWR
	if isFolder {
		if runtime.GOOS == "windows" {
			return nil
		}
		mode = os.O_RDONLY
	}
	file, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}
