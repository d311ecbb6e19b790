// Package operation holds the larger operations of a network as functions of a graph: they are
// defined with GoMLX's operations, so that every engine can run them, and as calls of named
// functions on the pure-Go engine, whose executors recognise the names and compute each in one or
// two passes over memory. They bring their own gradients.
package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Kind is the name of an operation.
type Kind string

// prefix begins the names of all functions of this package.
const prefix = "workbench "

// KindOf returns the kind of operation that a function of a graph computes, empty if none of this
// package.
func KindOf(function string) Kind {
	name, ours := strings.CutPrefix(function, prefix)
	if !ours {
		return ""
	}
	kind, _, _ := strings.Cut(name, ":")
	return Kind(kind)
}

// constant returns a number for the body of an operation. GoMLX keeps the nodes of Scalar, and of
// everything that uses it, for the whole graph, and another function can't use them, so bodies make
// their own.
func constant(like *Node, value float64) *Node {
	return Const(like.Graph(), shapes.CastAsDType(value, like.DType()))
}

// goBackend is the name of the pure-Go backend.
const goBackend = "Go Backend"

// call returns the outputs of body for the inputs: as the call of a function if the kernels can
// take over, or inline. Gradients don't pass through it.
func call(kind Kind, body func(inputs []*Node) []*Node, inputs ...*Node) []*Node {
	g := inputs[0].Graph()
	if g.Backend().Name() != goBackend {
		return body(inputs)
	}
	function := NewFunction(g, g.UniqueName(prefix+string(kind)+":"), func(g *Graph) []*Node {
		parameters := make([]*Node, len(inputs))
		for i, input := range inputs {
			parameters[i] = Parameter(g, "", input.Shape())
		}
		return body(parameters)
	})
	return function.Call(inputs...)
}

// withGradient returns the value that forward computes from the inputs, with a custom gradient:
// from the value's, backward returns each input's, in order. An input whose gradient is nil has
// none.
func withGradient(inputs []*Node, forward func() *Node,
	backward func(gradient *Node) []*Node) *Node {
	return withGradients(inputs, func() []*Node { return []*Node{forward()} }, 1,
		func(gradients []*Node) []*Node { return backward(gradients[0]) })[0]
}

// withGradients is withGradient for a number of values. Unused values have zero gradients.
func withGradients(
	inputs []*Node, forward func() []*Node, count int, backward func(gradients []*Node) []*Node,
) (values []*Node) {
	values, fused := InternalFusedOpCallerMulti(forward, func() []*Node {
		return carriers(inputs, count, func(gradients []*Node) []*Node {
			for i, gradient := range gradients {
				if gradient == nil {
					gradients[i] = ZerosLike(values[i])
				}
			}
			return backward(gradients)
		})
	}, true)
	if !fused {
		panic(fmt.Errorf("operation: GoMLX's backend doesn't implement an operation: gradients "+
			"of %d values are lost: please report it", count))
	}
	return values
}

// carriers are nodes whose gradients are passed to backward together, nil for those without, and
// what that returns on to the inputs. Their values are never computed: they replace the values of
// an operation when gradients are built. They're the newest of their nodes, so they're
// differentiated before the nodes that pass theirs on.
func carriers(inputs []*Node, count int, backward func(gradients []*Node) []*Node) []*Node {
	var handed []*Node
	sum := ScalarZero(inputs[0].Graph(), inputs[0].DType())
	for i, input := range inputs {
		hand := IdentityWithCustomGradient(input, func(_, _ *Node) *Node { return handed[i] })
		sum = Add(sum, ConvertDType(ReduceAllSum(hand), sum.DType()))
	}
	arrived, all := make([]*Node, count), make([]*Node, count)
	joint := IdentityWithCustomGradient(sum, func(sum, _ *Node) *Node {
		handed = backward(slices.Clone(arrived))
		clear(arrived) // for the next gradient of the same graph
		return ZerosLike(sum)
	})
	for i := range all {
		all[i] = IdentityWithCustomGradient(joint, func(joint, gradient *Node) *Node {
			arrived[i] = gradient
			return ZerosLike(joint)
		})
	}
	return all
}
