// Package parallel does numbered pieces of work, for example reading thousands of runs, on all
// cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// OnCores calls do for 0 to count-1 on one goroutine a core.
func OnCores(count int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// Each calls do for 0 to count-1 as InOrder, and ends early with the first error.
func Each(count int, do func(int) error) error {
	return InOrder(count, do, func(_ int, err error) error { return err })
}

// ahead is the number of results of InOrder for each goroutine that may wait for earlier ones.
const ahead = 4

// InOrder calls produce for 0 to count-1 on two goroutines a core, since reading waits for the
// disk, and consume with each result on the calling goroutine, in order. It holds a few results at
// a time. It ends early with an error of consume.
func InOrder[T any](count int, produce func(int) T, consume func(int, T) error) error {
	workers := min(count, 2*runtime.GOMAXPROCS(0))
	results := make([]chan T, ahead*workers) // index i is in place i modulo their number
	for place := range results {
		results[place] = make(chan T, 1)
	}
	places, quit := make(chan struct{}, len(results)), make(chan struct{})
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		for {
			select {
			case places <- struct{}{}: // the place of the next index is free
			case <-quit:
				return
			}
			i := int(next.Add(1)) - 1
			if i >= count {
				return
			}
			results[i%len(results)] <- produce(i)
		}
	}
	for range workers {
		group.Go(work)
	}
	defer func() { close(quit); group.Wait() }()
	for i := range count {
		if err := consume(i, <-results[i%len(results)]); err != nil {
			return err
		}
		<-places
	}
	return nil
}

// idle is the work of WhileIdle; nil if there is none.
var idle atomic.Pointer[func() (more bool)]

// WhileIdle replaces the work that cores do while they wait for each other. Each call of piece does
// a part of it that takes less than a microsecond, and reports whether more is left. Several cores
// may call it at once, and one may still be in it after WhileIdle set other work. It must not
// panic. Cores that never wait never call it, so the work must be possible elsewhere.
func WhileIdle(piece func() (more bool)) { idle.Store(&piece) }

// Idle does a piece of the work of WhileIdle. It's for a core that waits for another one.
func Idle() {
	if piece := idle.Load(); piece != nil && !(*piece)() {
		idle.CompareAndSwap(piece, nil)
	}
}
