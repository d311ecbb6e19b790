package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestWrite(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "a.txt")
	testkit.NoError(t, WriteBytes(path, []byte("first")))
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
	if err := WriteBytes(path, nil); !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("error is %v, want %v of %s", err, os.ErrNotExist, path)
	}
}

// Nor does an error name the temporary file when the target is a folder.
func TestWriteOverFolder(t *testing.T) {
	path := t.TempDir()
	if err := WriteBytes(path, nil); err == nil ||
		!strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("error is %v, want one of %s", err, path)
	}
}

// A file that can't be written has the cure for its cause: a full disk isn't what happens after the
// lock was removed and a second process has swept the folder.
func TestUnwrittenNamesItsCause(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latest")
	swept := Write(path, func(io.Writer) error {
		return os.Remove(onlyFile(t, filepath.Dir(path)))
	})
	for cause, want := range map[error]string{swept: "the lock file in it",
		syscall.ENOSPC: "see that it has room", syscall.EROFS: "make the disk writable"} {
		err := Unwritten(path, cause)
		if !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), path+" can't be written: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("of %v it is %v, want %q", cause, err, want)
		}
		if strings.Contains(err.Error(), "room") && errors.Is(cause, os.ErrNotExist) {
			t.Errorf("of %v it is %v, want nothing about room", cause, err)
		}
	}
}

func onlyFile(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v (%v), want one file", entries, err)
	}
	return filepath.Join(folder, entries[0].Name())
}

// Sweep removes unfinished files of Write, and neither files of other programs nor one that is just
// being written without the lock.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{".card.json.123.nbbnn.tmp", "card.json", ".hidden", "notes.tmp",
		".other.5.tmp"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	err := Write(filepath.Join(folder, "card.json"), func(io.Writer) error {
		Sweep(filepath.Join(folder, "*"))
		return nil
	})
	if !errors.Is(err, os.ErrNotExist) && runtime.GOOS != "windows" { // which keeps open files
		t.Errorf("error %v of a file whose temporary one was swept, want %v", err, os.ErrNotExist)
	}
	Sweep(filepath.Join(folder, "none", "*"))
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if want := []string{".hidden", ".other.5.tmp", "card.json", "notes.tmp"}; err != nil ||
		!slices.Equal(baseNames(left), want) {
		t.Errorf("%v are left (%v), want %v", left, err, want)
	}
}

func baseNames(paths []string) (names []string) {
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	return names
}

// Without a star it removes the unfinished files of one name.
func TestSweepOneFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{".fog-1.npz.123.nbbnn.tmp", ".fog-1.npz.9.nbbnn.tmp",
		".fog-11.npz.5.nbbnn.tmp"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	Sweep(filepath.Join(folder, "fog-1.npz"))
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	if want := []string{".fog-11.npz.5.nbbnn.tmp"}; err != nil ||
		!slices.Equal(baseNames(left), want) {
		t.Errorf("%v are left (%v), want %v", left, err, want)
	}
}
