//go:build amd64

package kernel

import "sync/atomic"

// share is a range of things to be done: its owner takes the first, who has nothing left of its own takes the last.
type share struct {
	left atomic.Uint64 // where it begins, and in the lower half where it ends
	_    [56]byte      // the next share is on a line of its own
}

const halfWord = 32

// shares divides 0..count-1 evenly. As long as nobody takes from others, a worker meets the same part of the images in
// every kernel, which its core may have in its cache.
func shares(workers, count int) []share {
	all := make([]share, workers)
	for worker := range all {
		first, end := worker*count/workers, (worker+1)*count/workers
		all[worker].left.Store(uint64(first)<<halfWord | uint64(end))
	}
	return all
}

// first takes the first thing.
func (s *share) first() (i int, ok bool) {
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
func (s *share) last() (i int, ok bool) {
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
