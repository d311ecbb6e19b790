package powercut

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
)

// State is a possible content of a disk after a power cut.
type State struct {
	Steps   int               // that were done before the cut
	Content map[string][]byte // by path inside the root; nil for a folder
}

// States returns each state that a cut after any number of steps may leave, each content once.
func (r *Record) States() iter.Seq[State] { return r.states }

func (r *Record) states(yield func(State) bool) {
	met := contentSet{}
	d := newDisk(r.before)
	for done := 0; ; done++ {
		for content := range d.cuts {
			if met.add(content) && !yield(State{done, content}) {
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
func (s State) Restore(root string) error {
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

// change is a change of names: a new file or folder, or a renamed file.
type change struct {
	path, to string
	node     *inode // nil for a folder
}

// disk is the state of the model: the names that are certainly on the disk, and the changes since.
type disk struct {
	names   map[string]*inode // nil for a folder
	now     map[string]*inode // with the changes
	changes []change
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
func (d *disk) apply(r *Record, step files.Step) {
	path := r.inside(step.Path)
	node := d.now[path]
	switch step.Operation {
	case files.MakeDir:
		d.change(change{path: path})
	case files.CreateFile:
		if node == nil {
			d.change(change{path: path, node: &inode{content: []byte{}}})
		}
	case files.WriteContent:
		node.content = append(slices.Clip(node.content), step.Content...)
	case files.SyncFile: // its name may still be lost
		node.synced = len(node.content)
	case files.RenameFile:
		d.change(change{path: path, to: r.inside(step.To), node: node})
	case files.SyncDir:
		for _, c := range d.changes {
			c.make(d.names)
		}
		d.changes = nil
	}
}

func (d *disk) change(c change) {
	d.changes = append(d.changes, c)
	c.make(d.now)
}

func (c change) make(names map[string]*inode) {
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
