package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// withoutLocks lets this process believe that the file system can't lock files.
func withoutLocks(t *testing.T, err error) {
	t.Helper()
	before := tryLock
	t.Cleanup(func() { tryLock = before })
	tryLock = func(*flock.Flock) (bool, error) { return false, err }
}

// still is a timing whose owner renews by hand, and in which time doesn't pass while a lease is
// watched; meanwhile happens then.
func still(meanwhile func()) leaseTiming {
	return leaseTiming{renew: time.Hour, expiry: 30 * time.Second, skew: 2 * time.Second, sleep: func(time.Duration) { meanwhile() }}
}

func nothing() {}

// stamp gives the newest lease another time of its last renewal, as an owner that stopped or a
// clock that is wrong does.
func stamp(t *testing.T, path string, age time.Duration) {
	t.Helper()
	latest, err := latestLease(path)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(leaseName(path, latest), then, then); err != nil {
		t.Fatal(err)
	}
}

func acquire(t *testing.T, timing leaseTiming, path string) *lease {
	t.Helper()
	l, err := timing.acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-l.stop:
		default:
			l.release()
		}
	})
	return l
}

func TestLockWithoutFileLocks(t *testing.T) {
	for _, failure := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		withoutLocks(t, &os.PathError{Op: "flock", Path: "lock", Err: failure})
		path := filepath.Join(t.TempDir(), "lock")
		for range 3 {
			unlock, err := Lock(path)
			if err != nil {
				t.Fatalf("%v: %v", failure, err)
			}
			if !Held(path) {
				t.Errorf("%v: the lock that was taken isn't held", failure)
			}
			_, err = Lock(path)
			if want := "process " + strconv.Itoa(os.Getpid()) + " is at work"; !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: the second lock: error %v, want one with %q that wraps %v", failure, err, want, ErrLocked)
			}
			unlock()
			if Held(path) {
				t.Errorf("%v: the lock that was released is held", failure)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
			t.Errorf("%v: %v are left, want one released lease", failure, left)
		}
	}
}

// A process that can lock files respects the lease of one that can't.
func TestFileLockRespectsALease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := acquire(t, still(nothing), path)
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want %v", err, ErrLocked)
	}
	l.release()
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A lease whose owner has stopped renewing it is taken over, and the owner doesn't write any more.
func TestLeaseOfAStoppedOwnerIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first := acquire(t, still(nothing), path)
	stamp(t, path, 20*time.Second)
	if _, err := still(nothing).acquire(path); !errors.Is(err, ErrLocked) {
		t.Errorf("before it expires: error %v, want %v", err, ErrLocked)
	}
	stamp(t, path, time.Hour)
	second := acquire(t, still(nothing), path)
	unregister(path, second) // it is another process
	defer register(path, second)
	register(path, first)
	defer unregister(path, first)
	first.renewed = time.Now().Add(-time.Hour)
	target := filepath.Join(filepath.Dir(path), "folder", "file")
	if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(target, []byte("late")); !errors.Is(err, ErrLocked) {
		t.Errorf("writing after the takeover: error %v, want %v", err, ErrLocked)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was written: %v", err)
	}
	if err := second.check(); err != nil {
		t.Errorf("the new owner: %v", err)
	}
}

// An owner that is suspended while it writes doesn't finish the file, even if only the wall clock
// went on.
func TestLeaseTakenOverWhileWriting(t *testing.T) {
	for name, age := range map[string]func(*lease){
		"monotonic clock": func(l *lease) { l.renewed = l.renewed.Add(-time.Hour) },
		"wall clock":      func(l *lease) { l.dated = l.dated.Add(-time.Hour) },
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "lock")
		first := acquire(t, still(nothing), path)
		target := filepath.Join(folder, "file")
		err := Write(target, func(io.Writer) error {
			stamp(t, path, time.Hour)
			lost := acquire(t, still(nothing), path)
			unregister(path, lost) // by another process
			register(path, first)
			age(first)
			return nil
		})
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: error %v, want %v", name, err, ErrLocked)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*file*")); len(left) > 0 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

// Who renamed the folder of its lease neither renews nor releases that of another process in a new
// folder of that name.
func TestLeaseOfAnotherInANewFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(folder, "lock")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	l := acquire(t, still(nothing), path)
	if err := os.Rename(folder, folder+"-removed"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const other = "4711 on elsewhere\nbeat 000000001\n"
	if err := os.WriteFile(l.name(), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	l.tryRenew()
	l.lost = false // not noticed in time
	l.release()
	if text, _, err := readLease(l.name()); text != other {
		t.Errorf("the lease of the other process is %q (%v), want %q", text, err, other)
	}
}

// An owner that was suspended for long, but whose lease nobody took, continues.
func TestSuspendedOwnerKeepsItsLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := acquire(t, still(nothing), path)
	l.renewed = time.Now().Add(-time.Hour)
	stamp(t, path, time.Hour)
	if err := WriteBytes(filepath.Join(filepath.Dir(path), "file"), nil); err != nil {
		t.Errorf("error %v, want none", err)
	}
	if time.Since(l.renewed) > time.Minute {
		t.Error("the lease wasn't renewed")
	}
}

// Times that another clock has stamped, an hour early or late, neither take a lease from an owner
// that is alive nor keep that of a dead one.
func TestLeaseUnderClockSkew(t *testing.T) {
	for _, age := range []time.Duration{time.Hour, -time.Hour} {
		path := filepath.Join(t.TempDir(), "lock")
		owner := acquire(t, still(nothing), path)
		stamp(t, path, age)
		alive := still(func() {
			owner.mu.Lock()
			defer owner.mu.Unlock()
			owner.tryRenew()
			stamp(t, path, age)
		})
		if _, err := alive.acquire(path); !errors.Is(err, ErrLocked) {
			t.Errorf("age %v: taken from an owner that is alive: %v, want %v", age, err, ErrLocked)
		}
		if _, err := still(nothing).acquire(path); err != nil {
			t.Errorf("age %v: the lease of a dead owner: %v, want none", age, err)
		}
	}
}

// Of many that find an expired lease, one takes it over.
func TestOneTakesALeaseOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 20 {
		if latest, _ := latestLease(path); latest > 0 {
			stamp(t, path, time.Hour)
		}
		var taken atomic.Int32
		var group sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			group.Go(func() {
				<-start
				_, err := still(nothing).acquire(path)
				if err == nil {
					taken.Add(1)
				} else if !errors.Is(err, ErrLocked) {
					t.Error(err)
				}
			})
		}
		close(start)
		group.Wait()
		if taken.Load() != 1 {
			t.Fatalf("%d hold the lease, want 1", taken.Load())
		}
	}
}

// TestLeaseHelper is the other process of TestLeaseAmongProcesses.
func TestLeaseHelper(t *testing.T) {
	path := os.Getenv("LEASE_HELPER")
	if path == "" {
		t.Skip("part of TestLeaseAmongProcesses")
	}
	withoutLocks(t, syscall.ENOLCK)
	_, err := Lock(path)
	os.Stdout.WriteString("error " + strconv.FormatBool(err != nil) + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A second process respects a lease, and takes it over when its owner was killed.
func TestLeaseAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	other := exec.Command(os.Args[0], "-test.run=^TestLeaseHelper$")
	other.Env = append(os.Environ(), "LEASE_HELPER="+path)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "error false\n" {
		t.Fatalf("the other process said %q (%v)", line, err)
	}
	withoutLocks(t, syscall.ENOLCK)
	_, err = Lock(path)
	if want := "process " + strconv.Itoa(other.Process.Pid); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q that wraps %v", err, want, ErrLocked)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	stamp(t, path, time.Hour)
	acquire(t, still(nothing), path)
}

// The page on clusters says how long a lease lasts.
func TestPageHasTheTimesOfLeases(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, want := range []string{
		fmt.Sprintf("renews every %.0f seconds", leases.renew.Seconds()),
		fmt.Sprintf("After %.0f seconds without renewal", leases.expiry.Seconds()),
		fmt.Sprintf("for %.0f more", leases.watch.Seconds()),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
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
