package operation

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The kinds for latents, which take all layers in one call. Sample has inputs mean, rho and the
// epsilon of each layer, and the latents of each as outputs; SampleGradient has inputs rho, the
// gradient of each layer's latents and the epsilon of each, and the gradients of mean and rho as
// outputs. Columns has each layer's columns of its input as outputs.
const (
	Sample         Kind = "sample"
	SampleGradient Kind = "sample gradient"
	Columns        Kind = "columns"
)

// Join returns arrays [K, D] of layers next to each other, [K, sum of D].
func Join(layers []*Node) *Node {
	if len(layers) == 1 {
		return layers[0]
	}
	return withGradient(layers, func() *Node {
		return Concatenate(layers, -1)
	}, func(gradient *Node) []*Node {
		return call(Columns, func(inputs []*Node) []*Node {
			return columns(inputs[0], layers)
		}, gradient)
	})
}

// columns cuts x [K, sum of D] into the columns of each layer, as many as the layers' last axes
// have.
func columns(x *Node, layers []*Node) (parts []*Node) {
	first := 0
	for _, layer := range layers {
		width := layer.Shape().Dim(-1)
		parts = append(parts, Slice(x, AxisRange(), AxisRange(first, first+width)))
		first += width
	}
	return parts
}

// SampleLatents returns the latents of each layer, mean + log(1 + exp(rho)) epsilon, [rows, D], for
// the epsilon of each, [rows, D], and their joined mean and rho, [K, sum of D]: row i takes mean
// and rho number i mod K. epsilon has no gradient.
func SampleLatents(mean, rho *Node, epsilon []*Node) []*Node {
	return withGradients([]*Node{mean, rho}, func() []*Node {
		return call(Sample, sample, append([]*Node{mean, rho}, epsilon...)...)
	}, len(epsilon), func(gradients []*Node) []*Node {
		return call(SampleGradient, sampleGradient, slices.Concat([]*Node{rho}, gradients,
			epsilon)...)
	})
}

func sample(inputs []*Node) (latents []*Node) {
	mean, rho, epsilon := inputs[0], inputs[1], inputs[2:]
	positive := Max(rho, constant(rho, 0))
	sigma := Add(positive, Log1P(Exp(Neg(Abs(rho)))))
	means, sigmas := columns(mean, epsilon), columns(sigma, epsilon)
	for layer, e := range epsilon {
		rows := e.Shape().Dim(0)
		latents = append(latents, Add(perRow(means[layer], rows), Mul(perRow(sigmas[layer], rows),
			e)))
	}
	return latents
}

func sampleGradient(inputs []*Node) []*Node {
	rho, layers := inputs[0], len(inputs)/2
	slope := Div(constant(rho, 1), Add(Exp(Neg(rho)), constant(rho, 1)))
	means, rhos := make([]*Node, layers), make([]*Node, layers)
	for layer, gradient := range inputs[1 : 1+layers] {
		epsilon := inputs[1+layers+layer]
		means[layer] = perComponent(gradient, rho)
		rhos[layer] = perComponent(Mul(gradient, epsilon), rho)
	}
	return []*Node{Concatenate(means, -1), Mul(Concatenate(rhos, -1), slope)}
}

// perRow repeats the components [K, D] down the rows, [rows, D]; a single component stays [1, D]
// and broadcasts.
func perRow(components *Node, rows int) *Node {
	count, width := components.Shape().Dim(0), components.Shape().Dim(1)
	if count == 1 {
		return components
	}
	rounds := (rows + count - 1) / count
	repeated := Reshape(BroadcastToDims(ExpandAxes(components, 0), rounds, count, width),
		rounds*count, width)
	if rounds*count == rows {
		return repeated
	}
	return Slice(repeated, AxisRange(0, rows))
}

// perComponent sums the rows [rows, D] of each component, [K, D]; components has K rows.
func perComponent(x, components *Node) *Node {
	rows, width := x.Shape().Dim(0), x.Shape().Dim(1)
	count := components.Shape().Dim(0)
	rounds := (rows + count - 1) / count
	if missing := rounds*count - rows; missing > 0 {
		x = Pad(x, constant(x, 0), PadAxis{End: missing}, PadAxis{})
	}
	return ReduceSum(Reshape(x, rounds, count, width), 0)
}

// Parts is the kind that cuts numbers into arrays: its inputs are the numbers and, as an int32, the
// place where the first array begins. Its outputs are the arrays, one after the other.
const Parts Kind = "parts"

// Cut returns arrays of the given shapes with the numbers of x in their order, from a place on.
// Gradients end there.
func Cut(x *Node, first int, arrays ...shapes.Shape) []*Node {
	place := Scalar(x.Graph(), dtypes.Int32, first)
	parts := call(Parts, func(inputs []*Node) []*Node {
		return cut(inputs[0], first, arrays)
	}, x, place)
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

// smallVariable is the number of values up to which a variable shares a call with others. For
// larger ones the cost of a call doesn't count.
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

// Move returns averages that move towards values times their factors: kept of the average plus
// taken of the product. Values have the shapes of their averages; kept and taken are scalars.
func Move(averages, values []*Node, factors []float64, kept, taken *Node) []*Node {
	if len(averages) == 0 {
		return nil
	}
	inputs := []*Node{kept, taken}
	for i, average := range averages {
		inputs = append(inputs, average, values[i], Scalar(average.Graph(), average.DType(),
			factors[i]))
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
