package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbbnn/workbench/internal/parallel"
)

// Parallel runs do(worker, i) for i from 0 to count-1 with the given number of workers, usually
// Workers(). A worker, numbered from 0, runs one call at a time. A panic in one of them, a memory
// fault included, is raised again in the caller after all have ended.
func Parallel(workers, count int, do func(worker, i int)) {
	if count <= 0 {
		return
	}
	workers = min(workers, count)
	t := &task{do: do, ranges: divide(workers, count)}
	t.run(workers - 1)
	if problem := t.failure.Load(); problem != nil {
		panic(*problem)
	}
}

// perWorker holds a value for each worker, made at its first use.
type perWorker[T interface {
	comparable
	close()
}] []T

// of returns a worker's value; create makes it, with the worker's memory.
func (all perWorker[T]) of(worker int, create func(memory *scratch) T) T {
	var none T
	if all[worker] == none {
		all[worker] = create(memoryOf(worker))
	}
	return all[worker]
}

// close closes the values that were made.
func (all perWorker[T]) close() {
	var none T
	for _, one := range all {
		if one != none {
			one.close()
		}
	}
}

// Workers returns the number of cores in use. It may change between two calls, so callers read it
// once.
func Workers() int { return runtime.GOMAXPROCS(0) }

type task struct {
	do      func(worker, i int)
	ranges  []workRange // of each worker
	failure atomic.Pointer[any]
}

// run runs the task with a number of helpers: the pool's, or new ones if the pool is busy with
// another call.
func (t *task) run(helpers int) {
	switch {
	case helpers == 0:
		t.work(0)
	case pool.mutex.TryLock():
		defer pool.mutex.Unlock()
		runPooled(t, helpers)
	default:
		var group sync.WaitGroup
		for worker := 1; worker <= helpers; worker++ {
			group.Go(func() { t.work(worker) })
		}
		t.work(0)
		group.Wait()
	}
}

// work does a worker's own range, then steals from the others.
func (t *task) work(worker int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if problem := recover(); problem != nil {
			t.failure.CompareAndSwap(nil, &problem)
		}
	}()
	for i, ok := t.ranges[worker].takeFirst(); ok; i, ok = t.ranges[worker].takeFirst() {
		t.do(worker, i)
	}
	for other := range t.ranges {
		victim := &t.ranges[(worker+1+other)%len(t.ranges)]
		for i, ok := victim.takeLast(); ok; i, ok = victim.takeLast() {
			t.do(worker, i)
		}
	}
}

// workRange is a work-stealing range: the owner pops from the front, idle workers steal from the
// back.
type workRange struct {
	left atomic.Uint64 // start in the upper half, end in the lower
	_    [56]byte      // keeps the next range on its own cache line
}

const halfWord = 32

// divide divides 0..count-1 evenly. Unless work is stolen, a worker gets the same part of the
// images in every kernel, which its core may still have in its cache.
func divide(workers, count int) []workRange {
	all := make([]workRange, workers)
	for worker := range all {
		first, end := worker*count/workers, (worker+1)*count/workers
		all[worker].left.Store(uint64(first)<<halfWord | uint64(end))
	}
	return all
}

// takeFirst pops the first index, for the owner.
func (s *workRange) takeFirst() (i int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left>>halfWord, left&(1<<halfWord-1)
		if first >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left+1<<halfWord) {
			return int(first), true
		}
	}
}

// takeLast pops the last index, for a worker that steals.
func (s *workRange) takeLast() (i int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left>>halfWord, left&(1<<halfWord-1)
		if first >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left-1) {
			return int(end - 1), true
		}
	}
}

// pool holds the goroutines that help with Parallel. They stay alive between calls, and spin for a
// moment after each before they sleep: waking a sleeping core takes longer than many a kernel runs.
var pool struct {
	mutex   sync.Mutex // held during a call
	helpers []*helper  // worker 1, 2, ...
}

// watching is the time that a helper spins for its next task, and a caller for its task's end,
// before sleeping.
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

// dismiss takes the task back if the helper hasn't started it, otherwise waits for its end.
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

// wake signals the sleeper that its condition may hold.
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
