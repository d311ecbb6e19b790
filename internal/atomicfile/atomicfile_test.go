package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
	if err := WriteBytes(filepath.Join(t.TempDir(), "missing", "a"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want %v", err, os.ErrNotExist)
	}
}
