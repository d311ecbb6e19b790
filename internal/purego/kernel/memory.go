package kernel

import (
	"math/bits"
	"sync"
	"unsafe"
)

// The kernels have the signatures of assembly: pointers, strides in bytes and counts. These
// functions turn them into what plain Go reads. A stride's multiple is added just before its use,
// so that no pointer beyond the end of its memory is ever kept.

// quad is four numbers: the vector of the portable kernels.
type quad [quadLanes]float32

const quadLanes = 4

// moved returns the pointer advanced by a number of bytes. Offsets of Winograd's transforms may
// lead to another slice, which the compiler's pointer check wouldn't allow.
//
//go:nocheckptr
func moved(p *float32, bytes uintptr) *float32 {
	return (*float32)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) + bytes))
}

// quadAt returns the four numbers at an offset in bytes.
func quadAt(p *float32, bytes uintptr) *quad { return (*quad)(unsafe.Pointer(moved(p, bytes))) }

// numbersAt returns count numbers at an offset in bytes.
func numbersAt(p *float32, bytes uintptr, count int) []float32 {
	return unsafe.Slice(moved(p, bytes), count)
}

const wideBytes = 8

// wideNumbers returns working memory as half as many float64 numbers.
func wideNumbers(memory []float32) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(memory))),
		len(memory)*numberBytes/wideBytes)
}

// offsetsAt returns count offsets.
func offsetsAt(p *uintptr, count int) []uintptr { return unsafe.Slice(p, count) }

// offsetTo returns the distance between two values, in bytes.
func offsetTo(from, to *float32) uintptr {
	return uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(from))
}

// scratch is a store of working memory by its size. A sync.Pool would lose it at every second
// garbage collection.
type scratch struct {
	mutex   sync.Mutex
	free    map[int][][]float32
	workers []*scratch                 // the stores of the workers
	instead func(length int) []float32 // source of guarded memory in tests; nil for the store
}

var memory scratch

// memoryOf returns the store of a worker: memory that it reuses stays in its core's cache.
func memoryOf(worker int) *scratch {
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	if memory.instead != nil {
		return &memory
	}
	for len(memory.workers) <= worker {
		memory.workers = append(memory.workers, &scratch{})
	}
	return memory.workers[worker]
}

// borrow returns length numbers of any value. The caller gives them back to the same store.
func (s *scratch) borrow(length int) []float32 {
	if s.instead != nil {
		return s.instead(length)
	}
	size := roundUp(length)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	free := s.free[size]
	if len(free) == 0 {
		numbers := make([]float32, length, size)
		UseLargePages(numbers)
		return numbers
	}
	s.free[size] = free[:len(free)-1]
	return free[len(free)-1][:length]
}

// borrowZeros borrows zeros.
func (s *scratch) borrowZeros(length int) []float32 {
	numbers := s.borrow(length)
	clear(numbers)
	return numbers
}

// giveBack ends the use of borrowed memory. nil is allowed.
func (s *scratch) giveBack(blocks ...[]float32) {
	if s.instead != nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.free == nil {
		s.free = map[int][][]float32{}
	}
	for _, numbers := range blocks {
		if size := cap(numbers); size > 0 {
			s.free[size] = append(s.free[size], numbers)
		}
	}
}

// borrow, borrowZeros and giveBack use the common store.
func borrow(length int) []float32      { return memory.borrow(length) }
func borrowZeros(length int) []float32 { return memory.borrowZeros(length) }
func giveBack(blocks ...[]float32)     { memory.giveBack(blocks...) }

// roundUp rounds up to the next size class; there are four to eight between two powers of two.
func roundUp(length int) int {
	step := 1 << max(0, bits.Len(uint(length))-3)
	return max(1, (length+step-1)/step*step)
}
