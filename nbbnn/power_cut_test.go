package nbbnn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
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

// contentsAfterCuts returns what a file may hold after a power cut; "" may also mean that it's
// missing.
func contentsAfterCuts(t *testing.T, path string, record *diskRecord) map[string]bool {
	t.Helper()
	found, place := map[string]bool{}, t.TempDir()
	for state := range record.States() {
		testkit.NoError(t, state.Restore(place))
		data, err := os.ReadFile(filepath.Join(place, path))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		found[string(data)] = true
	}
	return found
}

func recordWork(t *testing.T, folder string, work func() error) *diskRecord {
	t.Helper()
	return testkit.Must(recordDisk(folder, work))(t)
}

// After Write a file has the old content or the new one.
func TestWriteSurvivesPowerCuts(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "card.json")
	testkit.NoError(t, files.WriteBytes(path, []byte("old")))
	found := contentsAfterCuts(t, "card.json", recordWork(t, folder, func() error { return files.WriteBytes(path, []byte("new text")) }))
	if len(found) != 2 || !found["old"] || !found["new text"] {
		t.Errorf("the file may hold %v, want the old content or the new", found)
	}
}

// After Append a file has the old content and a part of the new.
func TestAppendSurvivesPowerCuts(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "train.jsonl")
	testkit.NoError(t, files.Append(path, []byte("a\n")))
	found := contentsAfterCuts(t, "train.jsonl", recordWork(t, folder, func() error { return files.Append(path, []byte("bc\n")) }))
	if len(found) != 3 || !found["a\n"] || !found["a\nb"] || !found["a\nbc\n"] {
		t.Errorf("the file may hold %v, want the old content with nothing, half and all of the new", found)
	}
}

// What Write, Append and MakeFolder have done when they return is on the disk.
func TestWritingIsDurable(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "run", "checkpoint")
	done := recordWork(t, root, func() error {
		if err := files.MakeFolder(folder); err != nil {
			return err
		}
		if err := files.WriteBytes(filepath.Join(folder, "latest"), []byte("weights")); err != nil {
			return err
		}
		return files.Append(filepath.Join(root, "run", "train.jsonl"), []byte("line\n"))
	})
	last := 0
	var final []map[string][]byte
	for state := range done.States() {
		if state.Steps > last {
			final = nil
		}
		last, final = state.Steps, append(final, state.Content)
	}
	for _, content := range final {
		if string(content["run/checkpoint/latest"]) != "weights" {
			t.Errorf("before the last line is there, the disk may hold %q, want the weights", content)
		}
	}
}

// The model notices a writer that renames before it syncs.
func TestModelNoticesMissingSync(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "card.json")
	testkit.NoError(t, files.WriteBytes(path, []byte("old")))
	done := recordWork(t, folder, func() error { return files.WriteBytes(path, []byte("new text")) })
	var careless []files.Step
	for _, step := range done.Steps {
		if step.Operation != files.SyncFile {
			careless = append(careless, step)
		}
	}
	done.Steps = careless
	if found := contentsAfterCuts(t, "card.json", done); !found[""] || !found["new "] {
		t.Errorf("without syncing the file may hold %v, want an empty and a half one, too", found)
	}
}

// A model of power cuts records the steps in which files are written, and makes what a disk may
// hold after a cut between any two of them. It is that of a file system with an ordered journal,
// such as ext4: names of files and folders reach the disk in the order of the calls and at the
// latest when a folder is synced; content reaches it at any time, in part or not at all, until its
// file is synced.

// diskRecord is the steps in which a folder was written, and what was in it before.
type diskRecord struct {
	root   string
	before map[string][]byte // content by path inside the root; nil for a folder
	Steps  []files.Step      // in the root
}

// recordDisk calls work and records the steps in which it writes to a folder. Only one record can be
// made at a time in a process.
func recordDisk(root string, work func() error) (*diskRecord, error) {
	before, err := filesBelow(root)
	if err != nil {
		return nil, err
	}
	record := &diskRecord{root: root, before: before}
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
func (r *diskRecord) inside(path string) string {
	inside, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(inside) {
		return ""
	}
	return inside
}

// filesBelow returns the files and folders below a root, which may be missing.
func filesBelow(root string) (map[string][]byte, error) {
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
		return nil, fmt.Errorf("power cut: %w", err)
	}
	return all, nil
}

// diskState is a possible content of a disk after a power cut.
type diskState struct {
	Steps   int               // that were done before the cut
	Content map[string][]byte // by path inside the root; nil for a folder
}

// States returns each state that a cut after any number of steps may leave, each content once.
func (r *diskRecord) States() iter.Seq[diskState] { return r.states }

func (r *diskRecord) states(yield func(diskState) bool) {
	met := contentSet{}
	d := newDisk(r.before)
	for done := 0; ; done++ {
		for content := range d.cuts {
			if met.add(content) && !yield(diskState{done, content}) {
				return
			}
		}
		if done == len(r.Steps) {
			return
		}
		d.apply(r, r.Steps[done])
	}
}

// Restore makes a folder what the state says.
func (s diskState) Restore(root string) error {
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(s.Content)) {
		content, full := s.Content[path], filepath.Join(root, path)
		if content == nil {
			if err := os.MkdirAll(full, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// inode is a file with the content that was written and the beginning of it that was synced.
type inode struct {
	content []byte
	synced  int // bytes that are on the disk for certain
}

// nameChange is a change of names: a new file or folder, or a renamed file.
type nameChange struct {
	path, to string
	node     *inode // nil for a folder
}

// disk is the state of the model: the names that are certainly on the disk, and the changes since.
type disk struct {
	names   map[string]*inode // nil for a folder
	now     map[string]*inode // with the changes
	changes []nameChange
}

func newDisk(before map[string][]byte) *disk {
	d := &disk{names: map[string]*inode{}}
	for path, content := range before {
		d.names[path] = nil
		if content != nil {
			d.names[path] = &inode{content, len(content)}
		}
	}
	d.now = maps.Clone(d.names)
	return d
}

// apply does a step.
func (d *disk) apply(r *diskRecord, step files.Step) {
	path := r.inside(step.Path)
	node := d.now[path]
	switch step.Operation {
	case files.MakeDir:
		d.change(nameChange{path: path})
	case files.CreateFile:
		if node == nil {
			d.change(nameChange{path: path, node: &inode{content: []byte{}}})
		}
	case files.WriteContent:
		node.content = append(slices.Clip(node.content), step.Content...)
	case files.SyncFile: // its name may still be lost
		node.synced = len(node.content)
	case files.RenameFile:
		d.change(nameChange{path: path, to: r.inside(step.To), node: node})
	case files.SyncDir:
		for _, c := range d.changes {
			c.make(d.names)
		}
		d.changes = nil
	}
}

func (d *disk) change(c nameChange) {
	d.changes = append(d.changes, c)
	c.make(d.now)
}

func (c nameChange) make(names map[string]*inode) {
	if c.to == "" {
		names[c.path] = c.node
		return
	}
	delete(names, c.path)
	names[c.to] = c.node
}

// cuts yields what the disk may hold if the power fails now: with each number of the latest changes
// of names, and with all, half or nothing of the content that isn't synced.
func (d *disk) cuts(yield func(map[string][]byte) bool) {
	names := maps.Clone(d.names)
	for i := 0; ; i++ {
		for part := range 3 {
			if !yield(cutContent(names, part)) {
				return
			}
		}
		if i == len(d.changes) {
			return
		}
		d.changes[i].make(names)
	}
}

// cutContent returns the content of all files, each with 0, 1 or 2 halves of what isn't synced.
func cutContent(names map[string]*inode, halves int) map[string][]byte {
	content := map[string][]byte{}
	for path, node := range names {
		content[path] = node.cut(halves)
	}
	return content
}

// cut returns the synced content with 0, 1 or 2 halves of the rest; nil for a folder.
func (n *inode) cut(halves int) []byte {
	if n == nil {
		return nil
	}
	rest := len(n.content) - n.synced
	return append([]byte{}, n.content[:n.synced+rest*halves/2]...)
}

// contentSet holds the SHA-256 of contents of a disk.
type contentSet map[[sha256.Size]byte]bool

// add reports whether the content is new in the set.
func (s contentSet) add(content map[string][]byte) bool {
	hash := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(content)) {
		fmt.Fprintf(hash, "%q %v %x\n", path, content[path] == nil, content[path])
	}
	sum := [sha256.Size]byte(hash.Sum(nil))
	if s[sum] {
		return false
	}
	s[sum] = true
	return true
}
