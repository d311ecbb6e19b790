package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	for range 2 {
		if Held(path) {
			t.Error("the lock that nobody took is held")
		}
		unlock := testkit.Must(Lock(path))(t)
		if !Held(path) {
			t.Error("the lock that was taken isn't held")
		}
		_, err := Lock(path)
		if want := "process " + strconv.Itoa(os.Getpid()); !errors.Is(err, ErrLocked) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the second lock: error %v, want one with %q that wraps %v", err, want,
				ErrLocked)
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
				unlock, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if holders.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				if _, err := Lock(path); !errors.Is(err, ErrLocked) {
					t.Errorf("beside who holds the lock: error %v, want one that wraps %v", err,
						ErrLocked)
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
		return testkit.Must(Lock(filepath.Join(folder, "lock")))(t)
	}
	first := take()
	testkit.NoError(t, os.Rename(folder, folder+"-removed"))
	second := take()
	defer second()
	first()
	if !Held(filepath.Join(folder, "lock")) {
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
	if Held(path) {
		t.Error("the file that was left is held")
	}
	unlock := testkit.Must(Lock(path))(t)
	unlock()
}

func TestLockNeedsAFolder(t *testing.T) {
	const cure = "choose another one"
	if _, err := Lock(filepath.Join(t.TempDir(), "missing", ".lock")); !errors.Is(err,
		os.ErrNotExist) || !strings.Contains(err.Error(), cure) {
		t.Errorf("error %v, want one with %q that wraps %v", err, cure, os.ErrNotExist)
	}
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o644))
	if _, err := Lock(filepath.Join(file, ".lock")); err == nil ||
		!strings.Contains(err.Error(), cure) {
		t.Errorf("below a file: error %v, want one with %q", err, cure)
	}
}

// Where files can't be locked, Lock names the file and the cure, and a single writer may work. The
// file of a host that can lock stays.
func TestLockWithoutFileLocks(t *testing.T) {
	before, local := tryLock, areLocal
	t.Cleanup(func() { tryLock, areLocal = before, local })
	for _, failure := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP,
		errLocalLocks} {
		tryLock = func(lock *flock.Flock) (bool, error) { return false, failure }
		areLocal = func(string) bool { return false }
		if failure == errLocalLocks {
			tryLock, areLocal = before, func(string) bool { return true }
		}
		path := filepath.Join(t.TempDir(), "lock")
		testkit.NoError(t, os.WriteFile(path, []byte("4711 on elsewhere\n"), 0o644))
		t.Setenv(singleWriter, "")
		_, err := Lock(path)
		for _, want := range []string{path, failure.Error(), "another file system",
			"NBBNN_NO_LOCK=1"} {
			if !errors.Is(err, failure) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: error %v, want one with %q", failure, err, want)
			}
		}
		if text, _ := os.ReadFile(path); string(text) != "4711 on elsewhere\n" {
			t.Errorf("%v: the lock of another host holds %q", failure, text)
		}
		t.Setenv(singleWriter, "1")
		unlock, err := Lock(path)
		if err != nil {
			t.Fatalf("%v: a single writer: %v", failure, err)
		}
		if err := WriteBytes(filepath.Join(filepath.Dir(path), "file"), nil); err != nil {
			t.Errorf("%v: writing: %v", failure, err)
		}
		unlock()
	}
}

func TestOwnerIsNamed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "another process"},
		{"4711\n", "process 4711"},
		{"4711 on " + host() + "\n", "process 4711"},
		{"4711 on elsewhere, job 12_3\nbeat 000000004\n", "process 4711 on elsewhere, job 12_3"},
	} {
		path := filepath.Join(t.TempDir(), "lock")
		testkit.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		if got := Holder(path); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	for want, environment := range map[string]map[string]string{
		"":     {},
		"17":   {"SLURM_JOB_ID": "17"},
		"16_3": {"SLURM_JOB_ID": "17", "SLURM_ARRAY_JOB_ID": "16", "SLURM_ARRAY_TASK_ID": "3"},
		"5.0":  {"SLURM_JOB_ID": "17", "HQ_JOB_ID": "5", "HQ_TASK_ID": "0"},
	} {
		if got := job(func(name string) string { return environment[name] }); got != want {
			t.Errorf("%v: job %q, want %q", environment, got, want)
		}
	}
}

func TestMountsWhoseLocksAreLocal(t *testing.T) {
	const mounts = `/dev/sda / ext4 rw 0 0
server:/a /home nfs rw,vers=3,nolock,addr=10.0.0.1 0 0
server:/b /home/coherent nfs4 rw,local_lock=none 0 0
mds:/scratch /scratch\040space lustre rw,localflock 0 0
mds:/flock /flock lustre rw,flock 0 0
`
	for path, want := range map[string]bool{
		"/runs/lock": false, "/home/runs/lock": true, "/home/coherent/lock": false,
		"/homes/lock":         false,
		"/scratch space/lock": true, "/flock/lock": false,
	} {
		if got := localLocks(mounts, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
