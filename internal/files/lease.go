package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A lease locks where the file system can't. It is a numbered file next to the lock's path, such as
// lock.lease-00000007, that its owner writes again every few seconds. A lease that wasn't renewed
// for long may be taken over by creating the file with the next number, which only one process can
// do. The file with the highest number stays when it is released, so that a number is never used
// twice: a process that was suspended between looking and creating then finds its number taken.
//
// Ages are measured by the clock of the file system, which a new file shows, because the clocks of
// two hosts differ. Some file systems stamp files with the clock of the writer, so before a
// takeover the lease is watched: an owner that is alive changes it.
type lease struct {
	path   string // of the lock
	number int
	timing leaseTiming

	mu      sync.Mutex
	beat    int
	renewed time.Time // by the monotonic clock, which may stop while the machine sleeps
	dated   time.Time // the same by the wall clock, which may be set
	lost    bool      // another process has taken it over
	stop    chan struct{}
	stopped chan struct{}
}

// leaseTiming is how a lease is kept and taken over.
type leaseTiming struct {
	renew  time.Duration // between two renewals
	expiry time.Duration // since the last renewal, after which others may take over
	watch  time.Duration // before a takeover
	skew   time.Duration // of clocks within a file system that is ignored

	sleep func(time.Duration)
}

// leases is the timing of all leases: six renewals may be missed.
var leases = leaseTiming{renew: 5 * time.Second, expiry: 30 * time.Second, watch: 8 * time.Second, skew: 2 * time.Second, sleep: time.Sleep}

// acquire takes the lease at path, or returns an error that wraps ErrLocked.
func (t leaseTiming) acquire(path string) (*lease, error) {
	for range 3 { // others may be faster
		latest, err := latestLease(path)
		if err != nil {
			return nil, err
		}
		if latest > 0 {
			if err := t.checkFree(leaseName(path, latest)); err != nil {
				return nil, err
			}
		}
		l := &lease{path: path, number: latest + 1, timing: t, stop: make(chan struct{}), stopped: make(chan struct{})}
		created, err := l.create()
		if err != nil {
			return nil, err
		}
		if !created {
			continue
		}
		if now, err := latestLease(path); err != nil || now != l.number {
			_ = os.Remove(l.name()) // late: a higher number is there
			continue
		}
		l.removeEarlier()
		register(l.path, l)
		go l.keep()
		return l, nil
	}
	return nil, fmt.Errorf("%s is at work: %w; then repeat the call or command", Holder(path), ErrLocked)
}

// checkFree returns an error that wraps ErrLocked if a lease is held.
func (t leaseTiming) checkFree(name string) error {
	text, modified, err := readLease(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && isReleased(text) {
		return nil
	}
	if err != nil {
		return err
	}
	busy := fmt.Errorf("%s is at work: %w; then repeat the call or command", holder(text), ErrLocked)
	now, err := fileSystemTime(filepath.Dir(name))
	if err != nil {
		return err
	}
	if t.isFresh(now.Sub(modified)) {
		return busy
	}
	t.sleep(t.watch)
	if again, _, err := readLease(name); err != nil || again != text {
		return busy
	}
	return nil
}

// isFresh reports whether a lease of this age is held for certain. One from the future was stamped
// by another clock: its age says nothing.
func (t leaseTiming) isFresh(age time.Duration) bool { return -t.skew <= age && age < t.expiry }

// leaseHolder returns the text of the lease at path if it is held, "" if not. It reads only;
// without a place for a new file the clock of this host has to do.
func (t leaseTiming) leaseHolder(path string) string {
	latest, err := latestLease(path)
	if err != nil || latest == 0 {
		return ""
	}
	text, modified, err := readLease(leaseName(path, latest))
	if err != nil || isReleased(text) {
		return ""
	}
	now, err := fileSystemTime(filepath.Dir(path))
	if err != nil {
		now = time.Now()
	}
	if !t.isFresh(now.Sub(modified)) {
		return ""
	}
	return text
}

// create makes the file, and reports false if another process has made it.
func (l *lease) create() (bool, error) {
	file, err := os.OpenFile(l.name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.setRenewed(time.Now())
	return true, errors.Join(l.write(file), file.Close())
}

// write replaces the text by that of the next beat. The text has the same length each time.
func (l *lease) write(file *os.File) error {
	l.beat++
	if _, err := file.WriteAt(fmt.Appendf(nil, "%s\nbeat %09d\n", Self(), l.beat), 0); err != nil {
		return err
	}
	return file.Sync()
}

func (l *lease) name() string { return leaseName(l.path, l.number) }

// isOwn reports whether the file isn't that of another process, which has the same name if the
// folder was renamed and made again.
func (l *lease) isOwn() bool {
	text, _, err := readLease(l.name())
	return err != nil || strings.HasPrefix(text, Self()+"\n")
}

// removeEarlier removes the files with lower numbers.
func (l *lease) removeEarlier() {
	names, _ := filepath.Glob(l.path + leaseSuffix + "*")
	for _, name := range names {
		if number := leaseNumber(name); 0 < number && number < l.number {
			_ = os.Remove(name)
		}
	}
}
