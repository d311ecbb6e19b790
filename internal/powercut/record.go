package powercut

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/nbbnn/workbench/internal/files"
)

// Record is the steps in which a folder was written, and what was in it before.
type Record struct {
	root   string
	before map[string][]byte // content by path inside the root; nil for a folder
	Steps  []files.Step      // in the root
}

// NewRecord calls work and records the steps in which it writes to a folder. Only one record can be
// made at a time in a process.
func NewRecord(root string, work func() error) (*Record, error) {
	before, err := contents(root)
	if err != nil {
		return nil, err
	}
	record := &Record{root: root, before: before}
	var mu sync.Mutex
	stop := files.Observe(func(step files.Step) error {
		mu.Lock()
		defer mu.Unlock()
		if record.inside(step.Path) != "" {
			step.Content = bytes.Clone(step.Content)
			record.Steps = append(record.Steps, step)
		}
		return nil
	})
	defer stop()
	return record, work()
}

// inside returns the path of a file inside the root, "" for one outside.
func (r *Record) inside(path string) string {
	inside, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(inside) {
		return ""
	}
	return inside
}

// contents returns the files and folders below a root, which may be missing.
func contents(root string) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil || inside == "." {
			return err
		}
		if entry.IsDir() {
			all[inside] = nil
			return nil
		}
		data, err := os.ReadFile(path)
		all[inside] = append([]byte{}, data...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("powercut: %w", err)
	}
	return all, nil
}
