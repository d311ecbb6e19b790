package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckWritable returns an error if files can't be written into a folder, or if the folder is
// missing and can't be made: to be asked before work whose results go there. It leaves nothing
// behind. Of a missing folder it tries the nearest folder above that exists, because another
// process may make the same folder at the same time.
func CheckWritable(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err == nil && !info.IsDir():
		return about(folder, syscall.ENOTDIR)
	case err == nil:
		return tryFile(folder)
	case !errors.Is(err, fs.ErrNotExist):
		return about(folder, err)
	}
	if _, err := os.Lstat(folder); err == nil {
		return about(folder, fs.ErrNotExist) // a link to nothing, in whose place no folder can be made
	}
	above := folder
	for errors.Is(err, fs.ErrNotExist) && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		_, err = os.Stat(above)
	}
	if err != nil {
		return about(folder, err)
	}
	made, err := os.MkdirTemp(above, ".writable"+leftover)
	if err != nil {
		return about(folder, err)
	}
	return errors.Join(tryFile(made), os.Remove(made))
}

// tryFile makes an empty file in a folder and removes it.
func tryFile(folder string) error {
	file, err := os.CreateTemp(folder, ".writable"+leftover)
	if err != nil {
		return about(folder, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
