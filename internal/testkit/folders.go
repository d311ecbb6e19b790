package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Folders are folders that tests make once, such as trained runs, and then copy. They are kept in
// memory.
type Folders struct {
	made sync.Map // the files of each folder, by their paths in it: map[string][]byte
}

// Copy writes the folder called name to place. The first call makes it there.
func (f *Folders) Copy(t testing.TB, name, place string, create func()) {
	t.Helper()
	if files, found := f.made.Load(name); found {
		write(t, place, files.(map[string][]byte))
		return
	}
	create()
	f.made.Store(name, read(t, place))
}

func read(t testing.TB, place string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(place, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t testing.TB, place string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
