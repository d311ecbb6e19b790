//go:build amd64

package kernel

import (
	"math/bits"
	"sync"
)

// scratch is a store of working memory by its size. A sync.Pool would lose it at every second garbage collection.
type scratch struct {
	mutex   sync.Mutex
	free    map[int][][]float32
	instead func(length int) []float32 // where tests take guarded memory from; nil for the store
}

var memory = scratch{free: map[int][][]float32{}}

// borrow returns length numbers of any value. Give them back with giveBack.
func borrow(length int) []float32 {
	if memory.instead != nil {
		return memory.instead(length)
	}
	size := roundUp(length)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	free := memory.free[size]
	if len(free) == 0 {
		return make([]float32, length, size)
	}
	memory.free[size] = free[:len(free)-1]
	return free[len(free)-1][:length]
}

// borrowZeros returns length zeros. Give them back with giveBack.
func borrowZeros(length int) []float32 {
	numbers := borrow(length)
	clear(numbers)
	return numbers
}

// giveBack ends the use of borrowed memory. nil is allowed.
func giveBack(blocks ...[]float32) {
	if memory.instead != nil {
		return
	}
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	for _, numbers := range blocks {
		if size := cap(numbers); size > 0 {
			memory.free[size] = append(memory.free[size], numbers)
		}
	}
}

// roundUp returns the next of the sizes that memory is kept in, of which there are four to eight between two powers of two.
func roundUp(length int) int {
	step := 1 << max(0, bits.Len(uint(length))-3)
	return max(1, (length+step-1)/step*step)
}
