//go:build amd64

package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Parallel runs do(worker, i) for i from 0 to count-1 with so many workers, as a rule Workers(). A worker, numbered from 0,
// runs one call at a time. A panic in one of them, a memory fault included, comes back as a panic of the caller when all have ended.
func Parallel(workers, count int, do func(worker, i int)) {
	if count <= 0 {
		return
	}
	workers = min(workers, count)
	t := &task{do: do, shares: shares(workers, count), metered: workers > 1 && meter.on.Load()}
	begun := t.now()
	t.run(workers - 1)
	if t.metered {
		addUsage(time.Since(begun), time.Duration(t.busy.Load()))
	}
	if problem := t.failure.Load(); problem != nil {
		panic(*problem)
	}
}

// Workers is the number of cores in use. It may change between two calls, so what depends on it asks once.
func Workers() int { return runtime.GOMAXPROCS(0) }

// task is one call of Parallel.
type task struct {
	do      func(worker, i int)
	shares  []share // of each worker
	failure atomic.Pointer[any]
	metered bool
	busy    atomic.Int64 // nanoseconds of all workers
}

// run runs the task with so many helpers: those of the team, or new ones where the team is at work for somebody else.
func (t *task) run(helpers int) {
	switch {
	case helpers == 0:
		t.work(0)
	case team.mutex.TryLock():
		defer team.mutex.Unlock()
		runTeam(t, helpers)
	default:
		var group sync.WaitGroup
		for worker := 1; worker <= helpers; worker++ {
			group.Go(func() { t.work(worker) })
		}
		t.work(0)
		group.Wait()
	}
}

// work does a worker's share, and then what others haven't begun of theirs.
func (t *task) work(worker int) {
	begun := t.now()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if problem := recover(); problem != nil {
			t.failure.CompareAndSwap(nil, &problem)
		}
		if t.metered {
			t.busy.Add(int64(time.Since(begun)))
		}
	}()
	for i, ok := t.shares[worker].first(); ok; i, ok = t.shares[worker].first() {
		t.do(worker, i)
	}
	for other := range t.shares {
		victim := &t.shares[(worker+1+other)%len(t.shares)]
		for i, ok := victim.last(); ok; i, ok = victim.last() {
			t.do(worker, i)
		}
	}
}

// now is the time where it's wanted.
func (t *task) now() time.Time {
	if !t.metered {
		return time.Time{}
	}
	return time.Now()
}
