//go:build amd64

package kernel

import (
	"math/bits"
	"sync"
)

// scratch is a store of working memory by the logarithm of its size. A sync.Pool would lose it at every second garbage
// collection.
type scratch struct {
	mutex   sync.Mutex
	free    [48][][]float32
	instead func(length int) []float32 // where tests take guarded memory from; nil for the store
}

var memory scratch

// borrow returns length numbers of any value. Give them back with giveBack.
func borrow(length int) []float32 {
	if memory.instead != nil {
		return memory.instead(length)
	}
	class := sizeClass(length)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	free := memory.free[class]
	if len(free) == 0 {
		return make([]float32, length, 1<<class)
	}
	memory.free[class] = free[:len(free)-1]
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
		if cap(numbers) > 0 {
			class := sizeClass(cap(numbers))
			memory.free[class] = append(memory.free[class], numbers)
		}
	}
}

// sizeClass is the logarithm of the power of two that holds length numbers.
func sizeClass(length int) int { return bits.Len(uint(max(length, 1) - 1)) }
