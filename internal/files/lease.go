package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

// released is the text of a lease that nobody holds.
const released = "released"

const leaseSuffix = ".lease-"

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

func leaseName(path string, number int) string {
	return fmt.Sprintf("%s%s%08d", path, leaseSuffix, number)
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

// keep renews the lease until it is released or lost.
func (l *lease) keep() {
	defer close(l.stopped)
	ticker := time.NewTicker(l.timing.renew)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ticker.C:
			l.mu.Lock()
			l.tryRenew()
			lost := l.lost
			l.mu.Unlock()
			if lost {
				return
			}
		}
	}
}

// tryRenew writes the next beat, and notes if another process has taken the lease over. A file
// system that fails for a moment changes nothing.
func (l *lease) tryRenew() {
	latest, err := latestLease(l.path)
	if err != nil {
		return
	}
	if latest != l.number || !l.isOwn() {
		l.lost = true
		return
	}
	started := time.Now() // before writing, so that others never see an older time than we do
	file, err := os.OpenFile(l.name(), os.O_WRONLY, 0)
	if err != nil {
		return
	}
	if errors.Join(l.write(file), file.Close()) == nil {
		l.setRenewed(started)
	}
}

func (l *lease) setRenewed(when time.Time) { l.renewed, l.dated = when, when.Round(0) }

// silence returns the time since the last renewal by the clock that shows more.
func (l *lease) silence() time.Duration {
	now := time.Now()
	return max(now.Sub(l.renewed), now.Round(0).Sub(l.dated))
}

// check returns an error that wraps ErrLocked if the lease isn't held for certain: it was taken
// over, or wasn't renewed in time and can't be now.
func (l *lease) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.lost && l.silence() > l.timing.expiry*2/3 {
		l.tryRenew()
	}
	if l.lost || l.silence() > l.timing.expiry*2/3 {
		return fmt.Errorf("%s took over the work in %s, after this process was silent for long: %w; then repeat the call or command",
			Holder(l.path), filepath.Dir(l.path), ErrLocked)
	}
	return nil
}

// release gives the lease back.
func (l *lease) release() {
	close(l.stop)
	<-l.stopped
	unregister(l.path, l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if latest, err := latestLease(l.path); !l.lost && err == nil && latest == l.number && l.isOwn() {
		_ = os.WriteFile(l.name(), []byte(released+"\n"), 0o644) // else it expires
	}
}

// latestLease returns the highest number of a lease at path, 0 for none.
func latestLease(path string) (latest int, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+leaseSuffix) {
			latest = max(latest, leaseNumber(entry.Name()))
		}
	}
	return latest, err
}

// leaseNumber returns the number in the name of a lease's file, 0 if there's none.
func leaseNumber(name string) int {
	number, err := strconv.Atoi(name[strings.LastIndex(name, leaseSuffix)+len(leaseSuffix):])
	if err != nil {
		return 0
	}
	return number
}

// readLease returns the text of a lease and when it was renewed. It opens the file before it asks
// for the time: a network file system then asks its server.
func readLease(name string) (text string, modified time.Time, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", modified, err
	}
	defer file.Close()
	data := make([]byte, 1<<10)
	count, err := file.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", modified, err
	}
	info, err := file.Stat()
	if err != nil {
		return "", modified, err
	}
	return string(data[:count]), info.ModTime(), nil
}

func isReleased(text string) bool { return strings.TrimSpace(text) == released }

// fileSystemTime returns the time by the clock of the file system that a folder is on.
func fileSystemTime(folder string) (time.Time, error) {
	file, err := os.CreateTemp(folder, ".clock"+leftover)
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write([]byte("now\n")); err != nil {
		return time.Time{}, err
	}
	if err := file.Sync(); err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

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
