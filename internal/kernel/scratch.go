//go:build amd64

package kernel

import (
	"math/bits"
	"sync"
)

// scratch is a store of working memory by the logarithm of its size. A sync.Pool would lose it at every second garbage
// collection.
type scratch struct {
	mutex sync.Mutex
	free  [48][][]float32
}

var memory scratch

// allocate makes the memory that scratch lends. Tests put guard pages around it.
var allocate = func(length, capacity int) []float32 { return make([]float32, length, capacity) }

// borrow returns length numbers of any value. Give them back with giveBack.
func borrow(length int) []float32 {
	class := sizeClass(length)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	free := memory.free[class]
	if len(free) == 0 {
		return allocate(length, 1<<class)
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
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	for _, numbers := range blocks {
		if class := sizeClass(cap(numbers)); cap(numbers) == 1<<class {
			memory.free[class] = append(memory.free[class], numbers)
		}
	}
}

// sizeClass is the logarithm of the power of two that holds length numbers.
func sizeClass(length int) int { return bits.Len(uint(max(length, 1) - 1)) }
