package operation

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// The kinds of average: Average has input x and output y, AverageGradient the gradient of y and that of x.
const (
	Average         Kind = "average"
	AverageGradient Kind = "average gradient"
)

// AveragePixels is the mean over the pixels, [rows, height, width, channels] to [rows, channels].
func AveragePixels(x *Node) *Node {
	d := x.Shape().Dimensions
	share := 1 / float64(d[1]*d[2])
	return withGradient([]*Node{x}, func() *Node {
		return call(Average, func(inputs []*Node) []*Node {
			return []*Node{Mul(ReduceSum(inputs[0], 1, 2), constant(inputs[0], share))}
		}, x)[0]
	}, func(gradient *Node) []*Node {
		return call(AverageGradient, func(inputs []*Node) []*Node {
			shared := Mul(inputs[0], constant(inputs[0], share))
			return []*Node{BroadcastToDims(Reshape(shared, d[0], 1, 1, d[3]), d...)}
		}, gradient)
	})
}
