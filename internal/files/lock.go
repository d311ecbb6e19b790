package files

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/nbbnn/workbench/internal/quantity"
)

// ErrLocked is wrapped by the error of a lock that another process, or another call, holds.
var ErrLocked = errors.New("wait for it, or stop it")

// singleWriter is the environment variable that, set to 1, allows work where files can't be locked
// among hosts. It promises that one process at a time writes to each folder.
const singleWriter = "NBBNN_NO_LOCK"

var errLocalLocks = errors.New("its locks keep out processes of this host only")

// Replaced by tests.
var (
	tryLock  = (*flock.Flock).TryLock
	areLocal = locksAreLocal
)

// Lock takes the lock at path without waiting, and returns the function that releases it. A lock
// lets one call at a time work on a folder, among all processes. It is a file that is removed when
// the work is done; the file of a process that was killed locks nothing.
//
//	unlock, err := files.Lock(filepath.Join(folder, ".lock"))
func Lock(path string) (unlock func(), err error) {
	single := os.Getenv(singleWriter) == "1"
	if areLocal(path) && !single {
		return nil, unlockable(path, errLocalLocks)
	}
	for {
		lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
		taken, err := tryLock(lock)
		switch {
		case lacksLocks(err):
			release(lock) // the file stays: a host that can lock may hold it
			if single {
				return func() {}, nil
			}
			return nil, unlockable(path, err)
		case err == nil && !taken:
			return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command",
				Holder(path), ErrLocked)
		case err == nil && !isAt(lock): // removed between opening and locking: it locks nothing
			release(lock)
			continue
		case err == nil:
			if err = writeSelf(path); err == nil {
				return func() { remove(lock) }, nil
			}
			remove(lock)
		}
		return nil, fmt.Errorf("%w: make the folder writable, see that its disk has room, choose "+
			"another one, or work on a copy", err)
	}
}

// unlockable returns the error of a lock on a file system that can't lock files among hosts.
func unlockable(path string, reason error) error {
	return fmt.Errorf("can't lock %s: %w: choose a folder on another file system, or set %s=1 if "+
		"one process at a time writes there",
		path, reason, singleWriter)
}

// isAt reports whether the path of a lock still leads to the file that is locked.
func isAt(lock *flock.Flock) bool {
	opened, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(opened, there)
}

// writeSelf names this process for Holder. Windows locks the content too.
func writeSelf(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return os.WriteFile(path, fmt.Appendln(nil, Self()), 0o644)
}

// remove removes the file while it's still locked, if the system can, then releases the lock. After
// the folder was renamed, the path may lead to the lock of another process, which stays.
func remove(lock *flock.Flock) {
	if !isAt(lock) {
		release(lock)
		return
	}
	err := os.Remove(lock.Path())
	release(lock)
	if err != nil {
		_ = os.Remove(lock.Path())
	}
}

// release closes the file in any case, which releases the lock.
func release(lock *flock.Flock) { _ = lock.Close() }

// Held reports whether the lock at path is held, without taking it.
func Held(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		release(lock)
	}
	return err == nil && !free
}

// Holder names the process that holds the lock at path: "process 4711", or on another host "process
// 4711 on node7".
func Holder(path string) string {
	text, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if first == "" {
		return "another process"
	}
	return "process " + quantity.Printable(strings.Replace(first, " on "+host(), "", 1))
}

// Self names this process for a lock's file, "4711 on node7, job 1024_3". The number comes first.
func Self() string {
	text := fmt.Sprintf("%d on %s", os.Getpid(), host())
	if id := job(os.Getenv); id != "" {
		text += ", job " + id
	}
	return text
}

// host returns the name of this computer.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return cmp.Or(strings.TrimSpace(name), "unknown")
}

// job returns the id under which a scheduler runs this process, "" if none does.
func job(getenv func(string) string) string {
	for _, v := range []struct{ job, separator, task string }{
		{"HQ_JOB_ID", ".", "HQ_TASK_ID"},
		{"SLURM_ARRAY_JOB_ID", "_", "SLURM_ARRAY_TASK_ID"},
		{"SLURM_JOB_ID", "", ""},
		{"PBS_JOBID", "", ""},
		{"LSB_JOBID", "", ""},
	} {
		if id := getenv(v.job); id != "" {
			if task := getenv(v.task); task != "" {
				id += v.separator + task
			}
			return id
		}
	}
	return ""
}

// lacksLocks reports whether an error of locking means that the file system can't lock files.
func lacksLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported)
}

// locksAreLocal reports whether path is known to be on a network file system whose locks exclude
// only processes of this host: two hosts would both write.
func locksAreLocal(path string) bool {
	data, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return false
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(real, filepath.Base(absolute))
	}
	return localLocks(string(data), absolute)
}

// localLocks is locksAreLocal for a table of mounts in the form of /proc/self/mounts.
func localLocks(mounts, path string) (local bool) {
	longest := -1
	for line := range strings.Lines(mounts) {
		parts := strings.Fields(line)
		if len(parts) < 4 {
			continue
		}
		point := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`,
			`\`).Replace(parts[1])
		inside := path == point || strings.HasPrefix(path, strings.TrimSuffix(point, "/")+"/")
		if !inside || len(point) < longest { // of two mounts at one point the later one counts
			continue
		}
		longest = len(point)
		local = isLocal(parts[2], strings.Split(parts[3], ","))
	}
	return local
}

// isLocal reports whether a mount's options keep locks on this host.
func isLocal(kind string, options []string) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.Contains(options, name)
		})
	}
	switch kind {
	case "nfs", "nfs4":
		return has("nolock", "local_lock=all", "local_lock=flock")
	case "lustre":
		return has("localflock")
	case "cifs", "smb3":
		return has("nobrl")
	}
	return false
}
