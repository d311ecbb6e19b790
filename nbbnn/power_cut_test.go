package nbbnn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// After Write a file has the old content or the new one, after Append the old one and a part of the
// new. The model notices a writer that renames before it syncs.
func TestWritingSurvivesPowerCuts(t *testing.T) {
	write := func(path string) error { return files.WriteBytes(path, []byte("new text")) }
	extend := func(path string) error { return files.Append(path, []byte("bc\n")) }
	for _, c := range []struct {
		name     string
		work     func(path string) error
		careless bool
		want     []string
	}{
		{"Write", write, false, []string{"a\n", "new text"}},
		{"Append", extend, false, []string{"a\n", "a\nb", "a\nbc\n"}},
		{"Write without syncing", write, true, []string{"", "a\n", "new ", "new text"}},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "file")
		testkit.NoError(t, files.WriteBytes(path, []byte("a\n")))
		steps, err := recordDisk(folder, func() error { return c.work(path) })
		testkit.NoError(t, err)
		if c.careless {
			steps = slices.DeleteFunc(steps, func(s files.Step) bool {
				return s.Operation == files.SyncFile
			})
		}
		found := map[string]bool{}
		for _, content := range statesAfterCuts(diskContent{"file": []byte("a\n")}, steps) {
			found[string(content["file"])] = true
		}
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, c.want) {
			t.Errorf("%s: the file may hold %q, want %q", c.name, got, c.want)
		}
	}
}

// What Write, Append and MakeFolder have done when they return is on the disk.
func TestWritingIsDurable(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "run", "checkpoint")
	steps, err := recordDisk(root, func() error {
		if err := files.MakeFolder(folder); err != nil {
			return err
		}
		if err := files.WriteBytes(filepath.Join(folder, "latest"), []byte("weights")); err != nil {
			return err
		}
		return files.Append(filepath.Join(root, "run", "train.jsonl"), []byte("line\n"))
	})
	testkit.NoError(t, err)
	last := 0
	var final []diskContent
	for done, content := range statesAfterCuts(nil, steps) {
		if done > last {
			final = nil
		}
		last, final = done, append(final, content)
	}
	for _, content := range final {
		if string(content["run/checkpoint/latest"]) != "weights" {
			t.Errorf("before the last line is there, the disk may hold %q, want the weights",
				content)
		}
	}
}

// A model of power cuts records the steps in which files are written, and makes what a disk may
// hold after a cut between any two of them. The file system has an ordered journal, as ext4 does:
// names of files and folders reach the disk in the order of the calls and at the latest when a
// folder is synced; content reaches it at any time, in part or not at all, until its file is
// synced.

// recordDisk calls work and returns the steps in which it writes to a folder, with paths inside it.
// Only one record can be made at a time in a process.
func recordDisk(root string, work func() error) (steps []files.Step, err error) {
	var mu sync.Mutex
	stop := files.Observe(func(step files.Step) error {
		mu.Lock()
		defer mu.Unlock()
		inside, err := filepath.Rel(root, step.Path)
		if err != nil || !filepath.IsLocal(inside) {
			return nil
		}
		step.Path, step.Content = inside, bytes.Clone(step.Content)
		step.To, _ = filepath.Rel(root, step.To) // "" where nothing is renamed
		steps = append(steps, step)
		return nil
	})
	defer stop()
	return steps, work()
}

// diskContent is a possible content of a disk by path; nil for a folder.
type diskContent map[string][]byte

// statesAfterCuts yields each content that a cut after any number of steps may leave, once. before
// is what a disk held for certain.
func statesAfterCuts(before diskContent, steps []files.Step) iter.Seq2[int, diskContent] {
	return func(yield func(int, diskContent) bool) {
		met := map[[sha256.Size]byte]bool{}
		d := disk{names: map[string]*inode{}}
		for path, content := range before {
			d.names[path] = &inode{content, len(content)}
		}
		d.now = maps.Clone(d.names)
		for done := 0; ; done++ {
			for content := range d.cuts {
				sum := content.sum()
				if !met[sum] && !yield(done, content) {
					return
				}
				met[sum] = true
			}
			if done == len(steps) {
				return
			}
			d.apply(steps[done])
		}
	}
}

func (c diskContent) sum() [sha256.Size]byte {
	hash := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(hash, "%q %v %x\n", path, c[path] == nil, c[path])
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// restore makes a folder what the disk holds.
func (c diskContent) restore(root string) error {
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(c)) {
		folder := filepath.Join(root, path)
		if c[path] != nil {
			folder = filepath.Dir(folder)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if c[path] != nil {
			if err := os.WriteFile(filepath.Join(root, path), c[path], 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// inode is a file with the content that was written and the beginning of it that was synced.
type inode struct {
	content []byte
	synced  int // bytes that are on the disk for certain
}

// cut returns the synced content with 0, 1 or 2 halves of the rest; nil for a folder.
func (n *inode) cut(halves int) []byte {
	if n == nil {
		return nil
	}
	rest := len(n.content) - n.synced
	return append([]byte{}, n.content[:n.synced+rest*halves/2]...)
}

// nameChange is a change of names: a new file or folder, or a renamed file.
type nameChange struct {
	path, to string
	node     *inode // nil for a folder
}

func (c nameChange) make(names map[string]*inode) {
	if c.to == "" {
		names[c.path] = c.node
		return
	}
	delete(names, c.path)
	names[c.to] = c.node
}

// disk is the state of the model: the names that are certainly on the disk, and the changes since.
type disk struct {
	names   map[string]*inode // nil for a folder
	now     map[string]*inode // with the changes
	changes []nameChange
}

// apply does a step.
func (d *disk) apply(step files.Step) {
	node := d.now[step.Path]
	change := nameChange{path: step.Path, node: node}
	switch step.Operation {
	case files.WriteContent:
		node.content = append(slices.Clip(node.content), step.Content...)
		return
	case files.SyncFile: // its name may still be lost
		node.synced = len(node.content)
		return
	case files.SyncDir:
		for _, c := range d.changes {
			c.make(d.names)
		}
		d.changes = nil
		return
	case files.CreateFile:
		if node != nil {
			return
		}
		change.node = &inode{content: []byte{}}
	case files.RenameFile:
		change.to = step.To
	}
	d.changes = append(d.changes, change)
	change.make(d.now)
}

// cuts yields what the disk may hold if the power fails now: with each number of the latest changes
// of names, and with all, half or nothing of the content that isn't synced.
func (d *disk) cuts(yield func(diskContent) bool) {
	names := maps.Clone(d.names)
	for i := 0; ; i++ {
		for halves := range 3 {
			content := diskContent{}
			for path, node := range names {
				content[path] = node.cut(halves)
			}
			if !yield(content) {
				return
			}
		}
		if i == len(d.changes) {
			return
		}
		d.changes[i].make(names)
	}
}
