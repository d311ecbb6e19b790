package archive

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
)

// syncEach forces the files and folders below a folder to the disk, one by one.
func syncEach(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return files.SyncDirectory(path)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Sync()
	})
}
