//go:build amd64

package kernel

import (
	"sync"
	"sync/atomic"
	"time"
)

// team is the goroutines that help with Parallel. They stay between two calls, and for a moment after each they watch for the
// next one before they sleep: to wake a sleeping core takes longer than many a kernel.
var pool struct {
	mutex   sync.Mutex // held during a call
	helpers []*helper  // worker 1, 2, ...
}

// watching is how long a helper looks out for the next task, and a caller for the end of its own, before they sleep.
const watching = 200 * time.Microsecond

// runPooled runs a task with so many helpers.
func runPooled(t *task, helpers int) {
	for len(pool.helpers) < helpers {
		h := &helper{worker: len(pool.helpers) + 1, awake: newSleeper(), ended: newSleeper()}
		pool.helpers = append(pool.helpers, h)
		go h.serve()
	}
	for _, h := range pool.helpers[:helpers] {
		h.offer(t)
		defer h.dismiss()
	}
	t.work(0)
}

// helper is one goroutine of the team.
type helper struct {
	worker int
	task   *task
	state  atomic.Int32
	awake  sleeper // the helper's, while it has no task
	ended  sleeper // the caller's, while the helper works
}

// The states of a helper.
const (
	free    int32 = iota
	offered       // it has a task, but may not have seen it
	working
)

// serve works on one task after another, for ever.
func (h *helper) serve() {
	for {
		h.awake.until(func() bool { return h.state.Load() == offered })
		if h.state.CompareAndSwap(offered, working) {
			h.task.work(h.worker)
			h.state.Store(free)
			h.ended.wake()
		}
	}
}

// offer hands the helper, who must be free, a task.
func (h *helper) offer(t *task) {
	h.task = t
	h.state.Store(offered)
	h.awake.wake()
}

// dismiss takes the task back where the helper hasn't begun it, and else waits for its end.
func (h *helper) dismiss() {
	if !h.state.CompareAndSwap(offered, free) {
		h.ended.until(func() bool { return h.state.Load() == free })
	}
	h.task = nil
}

// sleeper is somebody who waits for something, watching at first and then asleep.
type sleeper struct {
	asleep atomic.Bool
	signal chan struct{}
}

func newSleeper() sleeper { return sleeper{signal: make(chan struct{}, 1)} }

// wake tells the sleeper that what it waits for may have come.
func (s *sleeper) wake() {
	if s.asleep.CompareAndSwap(true, false) {
		s.signal <- struct{}{}
	}
}

// until returns when something has come, or when the sleeper was woken.
func (s *sleeper) until(come func() bool) {
	const looks = 64 // between two looks at the clock
	for begun := time.Now(); time.Since(begun) < watching; {
		for range looks {
			if come() {
				return
			}
		}
	}
	s.asleep.Store(true)
	if come() && s.asleep.CompareAndSwap(true, false) {
		return
	}
	<-s.signal
}
