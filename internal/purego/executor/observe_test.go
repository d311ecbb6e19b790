package executor

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Observe counts the operations that the pure-Go backend executes until stop is called, by their
// names; operations in the body of a function count as that function. The backend must execute one
// operation after the other.
func Observe() (stop func() map[string]int) {
	counts, inside := map[string]int{}, false
	count := func(n *node, execute func() (done bool)) {
		if inside {
			execute()
			return
		}
		inside = true
		done := execute()
		inside = false
		if done {
			counts[nameOf(n)]++
		}
	}
	singles, multiples := singleExecutors, multipleExecutors
	for operation := range compute.OpTypeLast {
		entries := slices.Clone(singles[operation])
		for i, stock := range entries {
			entries[i].executor = func(backend unsafe.Pointer, n *node, inputs []*buffer,
				owned []bool) (output *buffer, err error) {
				count(n, func() bool {
					output, err = stock.executor(backend, n, inputs, owned)
					return err != errDeclined
				})
				return output, err
			}
		}
		singleExecutors[operation] = entries
		if stock := multiples[operation]; stock != nil {
			multipleExecutors[operation] = func(backend unsafe.Pointer, n *node, inputs []*buffer,
				owned []bool) (outputs []*buffer, err error) {
				count(n, func() bool {
					outputs, err = stock(backend, n, inputs, owned)
					return true
				})
				return outputs, err
			}
		}
	}
	return func() map[string]int {
		singleExecutors, multipleExecutors = singles, multiples
		return counts
	}
}

// nameOf returns the name of what a node computes.
func nameOf(n *node) string {
	if n.operation == compute.OpTypeCall {
		if kind := operation.KindOf(functionOf(n)); kind != "" {
			return string(kind)
		}
	}
	return strings.ToLower(n.operation.String())
}
