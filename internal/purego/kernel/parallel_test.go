package kernel

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nbbnn/workbench/internal/parallel"
)

func TestParallelDoesEverythingOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		for _, count := range []int{0, 1, 2, 7, 1000} {
			done, used := make([]atomic.Int32, count), make([]atomic.Int32, workers)
			Parallel(workers, count, func(worker, i int) {
				if used[worker].Add(1) != 1 {
					t.Errorf("%d workers, %d things: worker %d has two at a time", workers, count,
						worker)
				}
				done[i].Add(1)
				used[worker].Add(-1)
			})
			for i := range done {
				if got := done[i].Load(); got != 1 {
					t.Errorf("%d workers, %d things: number %d was done %d times, want once",
						workers, count, i, got)
				}
			}
		}
	}
}

func TestParallelCallsMayOverlapAndNest(t *testing.T) {
	const callers, count = 4, 50
	var sum atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range 20 {
				Parallel(3, count, func(_, i int) {
					Parallel(2, 2, func(_, _ int) { sum.Add(int64(i)) })
				})
			}
		})
	}
	group.Wait()
	if want := int64(callers * 20 * 2 * count * (count - 1) / 2); sum.Load() != want {
		t.Errorf("the sum over all calls is %d, want %d", sum.Load(), want)
	}
}

// Helpers stay, watching for a while and then asleep, and can be woken again and again.
func TestHelpersStay(t *testing.T) {
	const workers = 4
	var before int
	for round := range 200 {
		if round%4 == 3 {
			awaitSleep()
		}
		var sum atomic.Int64
		Parallel(workers, 64, func(_, i int) { sum.Add(int64(i)) })
		if sum.Load() != 64*63/2 {
			t.Fatalf("round %d: sum %d, want %d", round, sum.Load(), 64*63/2)
		}
		if round == 0 {
			before = runtime.NumGoroutine()
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines after many calls, %d after the first: want no more", after, before)
	}
}

// awaitSleep returns when all helpers are asleep.
func awaitSleep() {
	pool.mutex.Lock()
	defer pool.mutex.Unlock()
	for _, h := range pool.helpers {
		for !h.awake.asleep.Load() {
			runtime.Gosched()
		}
	}
}

// A core that waits for another one does idle work, which is gone once it's done.
func TestWaitingCoresDoIdleWork(t *testing.T) {
	if Workers() < 2 {
		t.Skip("one core never waits")
	}
	const pieces = 5
	var done atomic.Int64
	parallel.WhileIdle(func() bool { return done.Add(1) < pieces })
	for calls := 0; done.Load() < pieces && calls < 1_000_000; calls++ {
		Parallel(2, 2, func(_, i int) {
			for range 10_000 * i { // one core has more to do
				done.Load()
			}
		})
	}
	if got := done.Load(); got < pieces {
		t.Errorf("%d pieces were done, want %d at least", got, pieces)
	}
}

// coreCounts are numbers of cores, and so of workers, that must give the same bits.
var coreCounts = []int{1, 2, 3, 8, 16, 64}

func TestResultsDoNotDependOnTheNumberOfCores(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		for _, l := range layers {
			sameOnAllCores(t, l, func() map[string][]float32 {
				return l.resultsOf(s, rand.New(rand.NewPCG(73, 74)))
			})
		}
	})
}

func TestPassesDoNotDependOnTheNumberOfCores(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		for _, p := range append(pixelSizes, Pixels{7, 100, 200}) {
			sameOnAllCores(t, p, func() map[string][]float32 {
				return p.resultsOf(rand.New(rand.NewPCG(75, 76)), fromHeap)
			})
		}
	})
}

// sameOnAllCores checks that results have the same bits on any number of cores.
func sameOnAllCores(t *testing.T, of any, results func() map[string][]float32) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := results()
	for _, cores := range coreCounts[1:] {
		runtime.GOMAXPROCS(cores)
		for name, got := range results() {
			if !slices.Equal(got, want[name]) {
				t.Errorf("%+v: %s with %d cores differs from that with one", of, name, cores)
			}
		}
	}
}

func TestParallelHandsOnAPanic(t *testing.T) {
	defer func() {
		if got := recover(); got != "worker" {
			t.Errorf("recovered %v, want the panic of the worker", got)
		}
	}()
	Parallel(Workers(), 16, func(_, i int) {
		if i == 7 {
			panic("worker")
		}
	})
}
