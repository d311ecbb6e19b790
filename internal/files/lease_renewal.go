package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

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
