//go:build amd64

package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Parallel runs do(worker, i) for i from 0 to count-1 with so many workers, as a rule Workers(). A worker, numbered from 0,
// runs one call at a time. A panic in one of them, a memory fault included, comes back as a panic of the caller when all have ended.
func Parallel(workers, count int, do func(worker, i int)) {
	var next atomic.Int64
	var failure atomic.Pointer[any]
	work := func(worker int) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if problem := recover(); problem != nil {
				failure.CompareAndSwap(nil, &problem)
			}
		}()
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			do(worker, i)
		}
	}
	var group sync.WaitGroup
	for worker := 1; worker < min(workers, count); worker++ {
		group.Go(func() { work(worker) })
	}
	work(0)
	group.Wait()
	if problem := failure.Load(); problem != nil {
		panic(*problem)
	}
}

// Workers is the number of cores in use. It may change between two calls, so what depends on it asks once.
func Workers() int { return runtime.GOMAXPROCS(0) }
