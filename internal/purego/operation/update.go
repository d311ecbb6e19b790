package operation

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Descent is the kind of a step of gradient descent. Its inputs are parameter, momentum, gradient,
// learning rate, momentum's factor and weight decay, its outputs the first two after the step.
const Descent Kind = "descent"

// Descend returns a parameter and its momentum after one step of SGD with Nesterov momentum and
// weight decay, as PyTorch defines them (METHOD.md section 4). The learning rate is a scalar, the
// rest of the parameter's shape.
func Descend(parameter, momentum, gradient, learningRate *Node, factor, weightDecay float64) (next, nextMomentum *Node) {
	g, numbers := parameter.Graph(), parameter.DType()
	outputs := call(Descent, descend, parameter, momentum, gradient, learningRate, Scalar(g, numbers, factor), Scalar(g, numbers, weightDecay))
	return outputs[0], outputs[1]
}

func descend(inputs []*Node) []*Node {
	parameter, momentum, gradient, rate, factor, decay := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5]
	slope := Add(gradient, Mul(parameter, decay))
	next := Add(Mul(momentum, factor), slope)
	return []*Node{Sub(parameter, Mul(rate, Add(slope, Mul(next, factor)))), next}
}
