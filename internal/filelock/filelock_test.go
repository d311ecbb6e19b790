package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/filelock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	for range 2 {
		unlock, err := filelock.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = filelock.Lock(path)
		if want := "process " + strconv.Itoa(os.Getpid()); !errors.Is(err, filelock.ErrLocked) || !strings.Contains(err.Error(), want) {
			t.Errorf("the second lock: error %v, want one with %q that wraps %v", err, want, filelock.ErrLocked)
		}
		unlock()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file stays behind: %v", err)
		}
	}
}

func TestLockNeedsAFolder(t *testing.T) {
	if _, err := filelock.Lock(filepath.Join(t.TempDir(), "missing", ".lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that wraps %v", err, os.ErrNotExist)
	}
}
