// Package files keeps files that people and other processes can rely on: written completely or not
// at all, compared with published checksums, and written by one process at a time.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path by what write writes. It writes, syncs and renames a temporary
// file in the same folder, so that a killed process never leaves half a file. After an error the
// old file is as it was.
func Write(path string, write func(io.Writer) error) (err error) {
	temp, err := createTemp(filepath.Dir(path), "."+filepath.Base(path)+leftover)
	if err != nil {
		return about(path, err)
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	buffered := bufio.NewWriterSize(temp, 1<<16)
	if err = write(buffered); err != nil {
		return err
	}
	if err = buffered.Flush(); err != nil {
		return err
	}
	if err = temp.Chmod(0o644); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	if err = rename(temp.Name(), path); err != nil {
		return about(path, err)
	}
	return SyncDirectory(filepath.Dir(path))
}

// leftover is how the names of temporary files end that Sweep removes: no other program has such.
const leftover = ".*.nbbnn.tmp"

// createTemp is os.CreateTemp, observed.
func createTemp(folder, pattern string) (observed, error) {
	temp, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return observed{}, err
	}
	if err := before(Step{Operation: CreateFile, Path: temp.Name()}); err != nil {
		temp.Close()
		os.Remove(temp.Name())
		return observed{}, err
	}
	return observed{temp}, nil
}

// Sweep removes what killed processes left of their calls of Write in a folder. The caller holds
// the lock under which the folder is written; what can't be removed stays.
func Sweep(folder string) {
	leftovers, _ := filepath.Glob(filepath.Join(folder, ".*"+leftover[1:])) // the pattern is correct
	for _, path := range leftovers {
		_ = os.Remove(path)
	}
}

// SweepFile removes what killed processes left of their calls of Write of one file, in a folder
// that isn't locked. No other process may be writing the file.
func SweepFile(path string) {
	leftovers, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+leftover))
	for _, path := range leftovers {
		_ = os.Remove(path)
	}
}

// about makes an error of the temporary file, whose name means nothing to a user, one of the
// target.
func about(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		err = file.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// Unwritten returns the error of a file that couldn't be written, with the cure for its cause.
func Unwritten(path string, err error) error {
	cure := "make the disk writable and see that it has room"
	if errors.Is(err, fs.ErrNotExist) {
		cure = "its folder was removed, or the lock file in it, so that another process works there, too: let one process work there"
	}
	return fmt.Errorf("%s can't be written: %w: %s, then call again", path, err, cure)
}

// WriteBytes replaces the file at path by data.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
