package files

import (
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
)

// Operation is the kind of a step of writing.
type Operation string

// The operations. Those on folders make names last, those on files their content.
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
	Content   []byte // of WriteContent, what is added to the file
}

var observer atomic.Pointer[func(Step) error]

// Observe calls observe before each step of Write, Append and MakeFolder in this process, until
// stop is called. An error of observe takes the place of the step. It is for tests of full disks,
// of disks that fail and of power cuts.
func Observe(observe func(Step) error) (stop func()) {
	observer.Store(&observe)
	return func() { observer.Store(nil) }
}

// before tells the observer, if there is one, what comes next.
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

// rename is os.Rename, observed.
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
