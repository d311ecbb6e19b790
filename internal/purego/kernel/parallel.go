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
	t := &task{do: do, shares: divide(workers, count), metered: workers > 1 && meter.on.Load()}
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
	shares  []workRange // of each worker
	failure atomic.Pointer[any]
	metered bool
	busy    atomic.Int64 // nanoseconds of all workers
}

// run runs the task with so many helpers: those of the team, or new ones where the team is at work for somebody else.
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
	for i, ok := t.shares[worker].takeFirst(); ok; i, ok = t.shares[worker].takeFirst() {
		t.do(worker, i)
	}
	for other := range t.shares {
		victim := &t.shares[(worker+1+other)%len(t.shares)]
		for i, ok := victim.takeLast(); ok; i, ok = victim.takeLast() {
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

// workRange is a range of things to be done: its owner takes the first, who has nothing left of its own takes the last.
type workRange struct {
	left atomic.Uint64 // where it begins, and in the lower half where it ends
	_    [56]byte      // the next share is on a line of its own
}

const halfWord = 32

// divide divides 0..count-1 evenly. As long as nobody takes from others, a worker meets the same part of the images in
// every kernel, which its core may have in its cache.
func divide(workers, count int) []workRange {
	all := make([]workRange, workers)
	for worker := range all {
		first, end := worker*count/workers, (worker+1)*count/workers
		all[worker].left.Store(uint64(first)<<halfWord | uint64(end))
	}
	return all
}

// first takes the first thing.
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

// last takes the last thing.
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

// Usage is what calls of Parallel did while they were metered. A call with work for one worker alone doesn't count.
type Usage struct {
	Calls int64
	Wall  time.Duration // from the beginning of each call to its end
	Busy  time.Duration // of all workers
}

// meter adds up the usage.
var meter struct {
	on                atomic.Bool
	calls, wall, busy atomic.Int64
}

// Meter turns metering on or off. It costs about a tenth of a microsecond a worker and call.
func Meter(on bool) { meter.on.Store(on) }

// Metered is the usage since the process began.
func Metered() Usage {
	return Usage{meter.calls.Load(), time.Duration(meter.wall.Load()), time.Duration(meter.busy.Load())}
}

func addUsage(wall, busy time.Duration) {
	meter.calls.Add(1)
	meter.wall.Add(int64(wall))
	meter.busy.Add(int64(busy))
}
