package operation

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Parts is the kind that cuts numbers into arrays: its input holds those of all arrays, one after
// the other, and its outputs are the arrays.
const Parts Kind = "parts"

// Cut returns arrays of the given shapes with the numbers of x in their order. Gradients end there.
func Cut(x *Node, arrays ...shapes.Shape) []*Node {
	parts := call(Parts, func(inputs []*Node) []*Node { return cut(inputs[0], arrays) }, x)
	for i, part := range parts {
		parts[i] = StopGradient(part)
	}
	return parts
}

func cut(x *Node, arrays []shapes.Shape) (parts []*Node) {
	numbers, first := Reshape(x, x.Shape().Size()), 0
	for _, array := range arrays {
		part := Slice(numbers, AxisRange(first, first+array.Size()))
		parts = append(parts, Reshape(part, array.Dimensions...))
		first += array.Size()
	}
	return parts
}
