package operation

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// The kinds for latents, which take all layers in one call. Sample has inputs mean, rho and the
// epsilon of each layer, and the latents of each as outputs; SampleGradient has inputs rho, the
// gradient of each layer's latents and the epsilon of each, and the gradients of mean and rho as
// outputs. Columns has the columns of its input as outputs, those of each layer.
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
		return call(Columns, func(inputs []*Node) []*Node { return columns(inputs[0], layers) }, gradient)
	})
}

// columns cuts x [K, sum of D] into the columns of each layer, as many as the layers' last axes have.
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
// the epsilon of each, [rows, D], and their joined mean and rho, [K, sum of D]: row i takes mean and
// rho number i mod K. epsilon has no gradient.
func SampleLatents(mean, rho *Node, epsilon []*Node) []*Node {
	return withGradients([]*Node{mean, rho}, func() []*Node {
		return call(Sample, sample, append([]*Node{mean, rho}, epsilon...)...)
	}, len(epsilon), func(gradients []*Node) []*Node {
		return call(SampleGradient, sampleGradient, slices.Concat([]*Node{rho}, gradients, epsilon)...)
	})
}

func sample(inputs []*Node) (latents []*Node) {
	mean, rho, epsilon := inputs[0], inputs[1], inputs[2:]
	positive := Max(rho, constant(rho, 0))
	sigma := Add(positive, Log1P(Exp(Neg(Abs(rho)))))
	means, sigmas := columns(mean, epsilon), columns(sigma, epsilon)
	for layer, e := range epsilon {
		rows := e.Shape().Dim(0)
		latents = append(latents, Add(perRow(means[layer], rows), Mul(perRow(sigmas[layer], rows), e)))
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
	repeated := Reshape(BroadcastToDims(ExpandAxes(components, 0), rounds, count, width), rounds*count, width)
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
