package operation

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Parts is the kind that cuts numbers into arrays: its inputs are the numbers and, as an int32, the
// place where those of the first array begin. Its outputs are the arrays, one after the other.
const Parts Kind = "parts"

// Cut returns arrays of the given shapes with the numbers of x in their order, from a place on.
// Gradients end there.
func Cut(x *Node, first int, arrays ...shapes.Shape) []*Node {
	place := Scalar(x.Graph(), dtypes.Int32, first)
	parts := call(Parts, func(inputs []*Node) []*Node { return cut(inputs[0], first, arrays) }, x, place)
	for i, part := range parts {
		parts[i] = StopGradient(part)
	}
	return parts
}

func cut(x *Node, first int, arrays []shapes.Shape) (parts []*Node) {
	numbers := Reshape(x, x.Shape().Size())
	for _, array := range arrays {
		part := Slice(numbers, AxisRange(first, first+array.Size()))
		parts = append(parts, Reshape(part, array.Dimensions...))
		first += array.Size()
	}
	return parts
}
