//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A folder is writable if it's there or can be made, and the check leaves nothing behind.
func TestCheckWritable(t *testing.T) {
	folder := t.TempDir()
	file, link, loop := filepath.Join(folder, "file"), filepath.Join(folder, "link"),
		filepath.Join(folder, "loop")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	if err := errors.Join(os.Symlink("nothing", link), os.Symlink("loop", loop)); err != nil {
		t.Skipf("links were not tested: %v", err)
	}
	for path, want := range map[string]error{
		folder: nil, filepath.Join(folder, "new"): nil, filepath.Join(folder, "a", "b", "c"): nil,
		file: syscall.ENOTDIR, filepath.Join(file, "a"): syscall.ENOTDIR,
		filepath.Join(file, "a", "b"): syscall.ENOTDIR,
		link:                          os.ErrNotExist, loop: syscall.ELOOP,
		filepath.Join(folder, strings.Repeat("a", 300)): syscall.ENAMETOOLONG,
	} {
		err := CheckWritable(path)
		if !errors.Is(err, want) || err != nil &&
			!strings.HasPrefix(err.Error(), "write "+path+": ") {
			t.Errorf("%s: error is %v, want %v of this path", path, err, want)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 3 {
		t.Errorf("%v (%v) are left, want the file and the links", entries, err)
	}
}

// Without a right to write nothing can be made, and root, who has every right, can't write to
// /proc.
func TestCheckWritableWithoutRights(t *testing.T) {
	folder := t.TempDir()
	if os.Getuid() == 0 {
		folder = "/proc"
	} else if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("rights were not tested: %v", err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "a"),
		filepath.Join(folder, "a", "b")} {
		testkit.Error(t, path, CheckWritable(path), "write "+path+": ")
	}
}
