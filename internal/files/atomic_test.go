package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "a.txt")
	if err := WriteBytes(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		io.WriteString(w, "half of the sec")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("error is %v, want %v", err, broken)
	}
	if data, _ := os.ReadFile(path); string(data) != "first" {
		t.Errorf("after a failed write the file holds %q, want the old content", data)
	}
	entries, _ := os.ReadDir(directory)
	if len(entries) != 1 {
		t.Errorf("%d files left, want 1: %v", len(entries), entries)
	}
}

func TestWriteNeedsDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a")
	if err := WriteBytes(path, nil); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("error is %v, want %v of %s", err, os.ErrNotExist, path)
	}
}

// Nor does an error name the temporary file when the target is a folder.
func TestWriteOverFolder(t *testing.T) {
	path := t.TempDir()
	if err := WriteBytes(path, nil); err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("error is %v, want one of %s", err, path)
	}
}
