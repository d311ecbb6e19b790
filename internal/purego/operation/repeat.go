package operation

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// The kinds of repetition: Repeat has input x and output y, RepeatGradient the gradient of y and that of x.
const (
	Repeat         Kind = "repeat"
	RepeatGradient Kind = "repeat gradient"
)

// RepeatRows repeats every row of x for its copies, which are adjacent: [rows, ...] to [rows*copies, ...].
func RepeatRows(x *Node, copies int) *Node {
	if copies == 1 {
		return x
	}
	dimensions := x.Shape().Dimensions
	apart := append([]int{dimensions[0], copies}, dimensions[1:]...)
	together := append([]int{dimensions[0] * copies}, dimensions[1:]...)
	return withGradient([]*Node{x}, func() *Node {
		return call(Repeat, func(inputs []*Node) []*Node {
			all := make([]*Node, copies)
			for i := range all {
				all[i] = ExpandAxes(inputs[0], 1)
			}
			return []*Node{Reshape(Concatenate(all, 1), together...)}
		}, x)[0]
	}, func(gradient *Node) []*Node {
		return call(RepeatGradient, func(inputs []*Node) []*Node {
			return []*Node{ReduceSum(Reshape(inputs[0], apart...), 1)}
		}, gradient)
	})
}
