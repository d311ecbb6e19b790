// Package files keeps files that people and other processes can rely on: written completely or not
// at all, compared with published checksums, and written by one process at a time.
package files

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// Write replaces the file at path by what write writes. It writes, syncs and renames a temporary
// file in the same folder, so that a killed process never leaves half a file. After an error the
// old file is unchanged.
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

// leftover is the pattern of temporary files that Sweep removes: no other program uses it.
const leftover = ".*.nbbnn.tmp"

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

// Sweep removes what killed processes left of their calls of Write of the files whose paths match a
// pattern of package filepath. No other process may be writing them; what can't be removed stays.
func Sweep(pattern string) {
	folder, name := filepath.Split(pattern)
	leftovers, _ := filepath.Glob(folder + "." + name + leftover) // the pattern is correct
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
		cure = "its folder was removed, or the lock file in it, so that another process works " +
			"there, too: let one process work there"
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
	defer func() { err = cmp.Or(err, file.Close()) }()
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

// CheckWritable returns an error if files can't be written into a folder, or if the folder is
// missing and can't be made: to be asked before work whose results go there. It leaves nothing
// behind. Of a missing folder it tries the nearest folder above that exists, because another
// process may make the same folder at the same time.
func CheckWritable(folder string) error {
	above := folder
	for _, err := os.Stat(above); err != nil; _, err = os.Stat(above) {
		_, link := os.Lstat(above) // one to nothing, in whose place no folder can be made
		if !errors.Is(err, fs.ErrNotExist) || link == nil || above == filepath.Dir(above) {
			return about(folder, err)
		}
		above = filepath.Dir(above)
	}
	file, err := os.CreateTemp(above, ".writable"+leftover)
	if err != nil {
		return about(folder, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// Operation is the kind of a step of writing.
type Operation string

// The operations. On folders they make names durable, on files the content.
const (
	CreateFile   Operation = "create"
	WriteContent Operation = "write"
	SyncFile     Operation = "sync"
	RenameFile   Operation = "rename"
	MakeDir      Operation = "mkdir"
	SyncDir      Operation = "syncdir"
)

// Step is one step of writing a file or a folder.
type Step struct {
	Operation Operation
	Path      string
	To        string // of RenameFile, the new path
	Content   []byte // of WriteContent, the bytes added to the file
}

var observer atomic.Pointer[func(Step) error]

// Observe calls observe before each step of Write, Append and MakeFolder in this process, until
// stop is called. An error of observe takes the place of the step. It is for tests of full disks,
// of disks that fail and of power cuts.
func Observe(observe func(Step) error) (stop func()) {
	observer.Store(&observe)
	return func() { observer.Store(nil) }
}

// before announces the next step to the observer, if there is one.
func before(step Step) error {
	observe := observer.Load()
	if observe == nil {
		return nil
	}
	if err := (*observe)(step); err != nil {
		return &fs.PathError{Op: string(step.Operation), Path: step.Path, Err: err}
	}
	return nil
}

// observed is a file whose steps are observed.
type observed struct{ *os.File }

func (f observed) Write(p []byte) (int, error) {
	if err := before(Step{Operation: WriteContent, Path: f.Name(), Content: p}); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f observed) Sync() error {
	if err := before(Step{Operation: SyncFile, Path: f.Name()}); err != nil {
		return err
	}
	return f.File.Sync()
}

func rename(from, to string) error {
	if err := before(Step{Operation: RenameFile, Path: from, To: to}); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// SyncDirectory makes the names in a folder survive a power failure.
func SyncDirectory(path string) error {
	if err := before(Step{Operation: SyncDir, Path: path}); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // it can't
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}
