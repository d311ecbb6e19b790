package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Where files can't be locked, Lock names the file and the cure, and a single writer may work. The
// file of a host that can lock stays.
func TestLockWithoutFileLocks(t *testing.T) {
	before, local := tryLock, areLocal
	t.Cleanup(func() { tryLock, areLocal = before, local })
	for _, failure := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP, errLocalLocks} {
		tryLock = func(lock *flock.Flock) (bool, error) { return false, failure }
		areLocal = func(string) bool { return false }
		if failure == errLocalLocks {
			tryLock, areLocal = before, func(string) bool { return true }
		}
		path := filepath.Join(t.TempDir(), "lock")
		testkit.NoError(t, os.WriteFile(path, []byte("4711 on elsewhere\n"), 0o644))
		t.Setenv(singleWriter, "")
		_, err := Lock(path)
		for _, want := range []string{path, failure.Error(), "another file system", "NBBNN_NO_LOCK=1"} {
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
		if got := holder(c.text); got != c.want {
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
		"/runs/lock": false, "/home/runs/lock": true, "/home/coherent/lock": false, "/homes/lock": false,
		"/scratch space/lock": true, "/flock/lock": false,
	} {
		if got := localLocks(mounts, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
