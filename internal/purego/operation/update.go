package operation

import . "github.com/gomlx/gomlx/core/graph"

// The kinds of updates, which change many variables in one call:
//
//	Descent:      learning rate, momentum's factor, weight decay, then parameter, momentum and
//	              gradient of each variable; outputs parameter and momentum of each
//	PlainDescent: learning rate, then parameter and gradient of each; outputs the parameters
//	Moving:       two factors, then average and value of each; outputs the averages
const (
	Descent      Kind = "descent"
	PlainDescent Kind = "plain descent"
	Moving       Kind = "moving averages"
)

// smallVariable is the number of values up to which a variable shares a call with others. For larger
// ones the cost of a call doesn't count.
const smallVariable = 4096

// Descend returns parameters and their momenta after one step of SGD with Nesterov momentum and
// weight decay, as PyTorch defines them (METHOD.md section 4). The learning rate is a scalar;
// momenta and gradients have the shapes of their parameters.
func Descend(
	parameters, momenta, gradients []*Node, learningRate *Node, factor, weightDecay float64,
) (next, nextMomenta []*Node) {
	next, nextMomenta = make([]*Node, len(parameters)), make([]*Node, len(parameters))
	g, numbers := learningRate.Graph(), learningRate.DType()
	rates := []*Node{learningRate, Scalar(g, numbers, factor), Scalar(g, numbers, weightDecay)}
	for _, group := range groups(parameters) {
		inputs := rates[:len(rates):len(rates)]
		for _, i := range group {
			inputs = append(inputs, parameters[i], momenta[i], gradients[i])
		}
		outputs := call(Descent, descend, inputs...)
		for place, i := range group {
			next[i], nextMomenta[i] = outputs[2*place], outputs[2*place+1]
		}
	}
	return next, nextMomenta
}

// groups returns which variables share a call.
func groups(variables []*Node) (all [][]int) {
	var small []int
	for i, v := range variables {
		if v.Shape().Size() <= smallVariable {
			small = append(small, i)
		} else {
			all = append(all, []int{i})
		}
	}
	if small != nil {
		all = append(all, small)
	}
	return all
}

func descend(inputs []*Node) (outputs []*Node) {
	rate, factor, decay := inputs[0], inputs[1], inputs[2]
	for i := 3; i < len(inputs); i += 3 {
		parameter, momentum, gradient := inputs[i], inputs[i+1], inputs[i+2]
		slope := Add(gradient, Mul(parameter, decay))
		next := Add(Mul(momentum, factor), slope)
		outputs = append(outputs, Sub(parameter, Mul(rate, Add(slope, Mul(next, factor)))), next)
	}
	return outputs
}

// DescendPlainly returns parameters after one step of SGD without momentum and weight decay. The
// learning rate is a scalar; gradients have the shapes of their parameters.
func DescendPlainly(parameters, gradients []*Node, learningRate *Node) []*Node {
	return update(PlainDescent, descendPlainly, []*Node{learningRate}, parameters, gradients)
}

func descendPlainly(inputs []*Node) (outputs []*Node) {
	for i := 1; i < len(inputs); i += 2 {
		outputs = append(outputs, Sub(inputs[i], Mul(inputs[0], inputs[i+1])))
	}
	return outputs
}

// Move returns averages that move towards values, which have their shapes: kept of the average plus
// taken of the value. Both factors are scalars.
func Move(averages, values []*Node, kept, taken *Node) []*Node {
	return update(Moving, move, []*Node{kept, taken}, averages, values)
}

func move(inputs []*Node) (outputs []*Node) {
	for i := 2; i < len(inputs); i += 2 {
		outputs = append(outputs, Add(Mul(inputs[i], inputs[0]), Mul(inputs[i+1], inputs[1])))
	}
	return outputs
}

// update calls an operation with scalars and pairs of a variable and what changes it, if there are
// any.
func update(kind Kind, body func(inputs []*Node) []*Node, scalars, variables, changes []*Node) []*Node {
	if len(variables) == 0 {
		return nil
	}
	inputs := scalars
	for i, v := range variables {
		inputs = append(inputs, v, changes[i])
	}
	return call(kind, body, inputs...)
}
