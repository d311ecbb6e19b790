package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/check"
)

// Append adds data to the end of a file, which it makes if needed, and waits until it is on the
// disk. After an error, or in a killed process, a part of the data may be there.
func Append(path string, data []byte) (err error) {
	_, missing := os.Lstat(path)
	if err := before(Step{Operation: CreateFile, Path: path}); err != nil {
		return err
	}
	opened, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	file := observed{opened}
	defer func() { err = check.First(err, file.Close()) }()
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := file.Sync(); err != nil || missing == nil {
		return err
	}
	return SyncDirectory(filepath.Dir(path))
}

// MakeFolder is os.MkdirAll for folders that are to survive a power failure, with mode 0755.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := before(Step{Operation: MakeDir, Path: path}); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o755); errors.Is(err, fs.ErrExist) {
		return os.MkdirAll(path, 0o755) // another process made it, or it's a file
	} else if err != nil {
		return err
	}
	if err := SyncDirectory(filepath.Dir(path)); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil // a parent that can't be read can't be synced
}
