package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	for range 2 {
		if files.Held(path) {
			t.Error("the lock that nobody took is held")
		}
		unlock := testkit.Must(files.Lock(path))(t)
		if !files.Held(path) {
			t.Error("the lock that was taken isn't held")
		}
		_, err := files.Lock(path)
		if want := "process " + strconv.Itoa(os.Getpid()); !errors.Is(err, files.ErrLocked) || !strings.Contains(err.Error(), want) {
			t.Errorf("the second lock: error %v, want one with %q that wraps %v", err, want, files.ErrLocked)
		}
		unlock()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file stays behind: %v", err)
		}
	}
}

// Many who try again and again, as processes do, never hold the lock together, though each one
// removes the file.
func TestOneHoldsTheLockAtATime(t *testing.T) {
	const callers, turns = 8, 200
	path := filepath.Join(t.TempDir(), ".lock")
	var holders, taken atomic.Int32
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range turns {
				unlock, err := files.Lock(path)
				if errors.Is(err, files.ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if holders.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				if _, err := files.Lock(path); !errors.Is(err, files.ErrLocked) {
					t.Errorf("beside who holds the lock: error %v, want one that wraps %v", err, files.ErrLocked)
				}
				taken.Add(1)
				holders.Add(-1)
				unlock()
			}
		})
	}
	group.Wait()
	if taken.Load() == 0 {
		t.Errorf("nobody had the lock in %d attempts", callers*turns)
	}
}

// Who renamed the folder of its lock doesn't remove the lock that another process has taken since
// in a new folder of that name.
func TestUnlockLeavesTheLockOfAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder with an open file can't be renamed")
	}
	folder := filepath.Join(t.TempDir(), "run")
	take := func() func() {
		testkit.NoError(t, os.Mkdir(folder, 0o755))
		return testkit.Must(files.Lock(filepath.Join(folder, "lock")))(t)
	}
	first := take()
	testkit.NoError(t, os.Rename(folder, folder+"-removed"))
	second := take()
	defer second()
	first()
	if !files.Held(filepath.Join(folder, "lock")) {
		t.Error("the lock of the other process was removed")
	}
}

// What a killed process left behind, its number in it, locks nothing where the system can lock
// files.
func TestLeftFileLocksNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the file is the lock here")
	}
	path := filepath.Join(t.TempDir(), ".lock")
	testkit.NoError(t, os.WriteFile(path, []byte("1\n"), 0o644))
	if files.Held(path) {
		t.Error("the file that was left is held")
	}
	unlock := testkit.Must(files.Lock(path))(t)
	unlock()
}

func TestLockNeedsAFolder(t *testing.T) {
	const cure = "choose another one"
	if _, err := files.Lock(filepath.Join(t.TempDir(), "missing", ".lock")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), cure) {
		t.Errorf("error %v, want one with %q that wraps %v", err, cure, os.ErrNotExist)
	}
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o644))
	if _, err := files.Lock(filepath.Join(file, ".lock")); err == nil || !strings.Contains(err.Error(), cure) {
		t.Errorf("below a file: error %v, want one with %q", err, cure)
	}
}
