package kernel

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbbnn/workbench/internal/parallel"
)

// pool holds the goroutines that help with Parallel. They stay alive between calls, and spin for a
// moment after each before they sleep: waking a sleeping core takes longer than many a kernel runs.
var pool struct {
	mutex   sync.Mutex // held during a call
	helpers []*helper  // worker 1, 2, ...
}

// watching is the time for which a helper spins for its next task, and a caller for the end of its
// own, before sleeping.
const watching = 200 * time.Microsecond

// runPooled runs a task with a number of helpers.
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

// helper is one goroutine of the pool.
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

// serve runs one task after another, until the process ends.
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

// offer gives a free helper a task.
func (h *helper) offer(t *task) {
	h.task = t
	h.state.Store(offered)
	h.awake.wake()
}

// dismiss takes the task back if the helper hasn't started it, else waits for its end.
func (h *helper) dismiss() {
	if !h.state.CompareAndSwap(offered, free) {
		h.ended.until(func() bool { return h.state.Load() == free })
	}
	h.task = nil
}

// sleeper waits for a condition: it spins at first, with pieces of idle work, and then sleeps.
type sleeper struct {
	asleep atomic.Bool
	signal chan struct{}
}

func newSleeper() sleeper { return sleeper{signal: make(chan struct{}, 1)} }

// wake tells the sleeper that its condition may hold.
func (s *sleeper) wake() {
	if s.asleep.CompareAndSwap(true, false) {
		s.signal <- struct{}{}
	}
}

// until returns when the condition holds, or when the sleeper was woken.
func (s *sleeper) until(come func() bool) {
	const looks = 64 // between two looks at the clock
	for begun := time.Now(); time.Since(begun) < watching; {
		for range looks {
			if come() {
				return
			}
		}
		parallel.Idle()
	}
	s.asleep.Store(true)
	if come() && s.asleep.CompareAndSwap(true, false) {
		return
	}
	<-s.signal
}
