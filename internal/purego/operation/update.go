package operation

import . "github.com/gomlx/gomlx/core/graph"

// The kinds of updates, which change many variables in one call:
//
//	Descent:      learning rate, momentum's factor, weight decay, then parameter, momentum and
//	              gradient of each variable; outputs parameter and momentum of each
//	PlainDescent: learning rate, then parameter and gradient of each; outputs the parameters
//	Moving:       two factors, then average, value and the value's factor of each; outputs the averages
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
	if len(parameters) == 0 {
		return nil
	}
	inputs := []*Node{learningRate}
	for i, parameter := range parameters {
		inputs = append(inputs, parameter, gradients[i])
	}
	return call(PlainDescent, descendPlainly, inputs...)
}

func descendPlainly(inputs []*Node) (outputs []*Node) {
	for i := 1; i < len(inputs); i += 2 {
		outputs = append(outputs, Sub(inputs[i], Mul(inputs[0], inputs[i+1])))
	}
	return outputs
}

// Move returns averages that move towards values times their factors: kept of the average plus taken
// of the product. Values have the shapes of their averages; kept and taken are scalars.
func Move(averages, values []*Node, factors []float64, kept, taken *Node) []*Node {
	if len(averages) == 0 {
		return nil
	}
	inputs := []*Node{kept, taken}
	for i, average := range averages {
		inputs = append(inputs, average, values[i], Scalar(average.Graph(), average.DType(), factors[i]))
	}
	return call(Moving, move, inputs...)
}

func move(inputs []*Node) (outputs []*Node) {
	for i := 2; i < len(inputs); i += 3 {
		value := Mul(inputs[i+1], inputs[i+2])
		outputs = append(outputs, Add(Mul(inputs[i], inputs[0]), Mul(value, inputs[1])))
	}
	return outputs
}
