package operation

import . "github.com/gomlx/gomlx/core/graph"

// The kinds of noise: Noise has inputs x, noise and output y, NoiseResidual a residual as well, and
// NoiseGradient the gradient of y, x and noise, and those of the last two.
const (
	Noise         Kind = "noise"
	NoiseResidual Kind = "noise residual"
	NoiseGradient Kind = "noise gradient"
)

// AddNoisy returns x times its noise plus a residual: x and residual [rows, height, width,
// channels], noise [rows, channels]. noise may be nil, which means ones, and residual may be nil,
// which adds nothing.
func AddNoisy(x, noise, residual *Node) *Node {
	if noise == nil || noise.Shape().Dim(0) != x.Shape().Dim(0) {
		return plainNoisy(x, noise, residual)
	}
	kind, inputs := Noise, []*Node{x, noise}
	if residual != nil {
		kind, inputs = NoiseResidual, append(inputs, residual)
	}
	return withGradient(inputs, func() *Node {
		return call(kind, noisy, inputs...)[0]
	}, func(gradient *Node) []*Node {
		gradients := call(NoiseGradient, noisyGradient, gradient, x, noise)
		if residual != nil {
			gradients = append(gradients, gradient)
		}
		return gradients
	})
}

// plainNoisy is AddNoisy without noise, or with the same for all rows, [1, channels].
func plainNoisy(x, noise, residual *Node) *Node {
	if noise != nil {
		x = Mul(x, overPixels(noise))
	}
	if residual != nil {
		x = Add(x, residual)
	}
	return x
}

func noisy(inputs []*Node) []*Node {
	var residual *Node
	if len(inputs) > 2 {
		residual = inputs[2]
	}
	return []*Node{plainNoisy(inputs[0], inputs[1], residual)}
}

func noisyGradient(inputs []*Node) []*Node {
	gradient, x, noise := inputs[0], inputs[1], inputs[2]
	return []*Node{Mul(gradient, overPixels(noise)), ReduceSum(Mul(gradient, x), 1, 2)}
}

// The kinds of sampling: Sample has inputs mean, rho, epsilon and output latents, SampleGradient
// the gradient of the latents, rho and epsilon, and those of mean and rho.
const (
	Sample         Kind = "sample"
	SampleGradient Kind = "sample gradient"
)

// SampleLatents returns mean + log(1 + exp(rho)) epsilon, [rows, D], for mean and rho [K, D] and
// epsilon [rows, D]: row i takes mean and rho number i mod K. epsilon has no gradient.
func SampleLatents(mean, rho, epsilon *Node) *Node {
	return withGradient([]*Node{mean, rho}, func() *Node {
		return call(Sample, sample, mean, rho, epsilon)[0]
	}, func(gradient *Node) []*Node {
		return call(SampleGradient, sampleGradient, gradient, rho, epsilon)
	})
}

func sample(inputs []*Node) []*Node {
	mean, rho, epsilon := inputs[0], inputs[1], inputs[2]
	rows := epsilon.Shape().Dim(0)
	positive := Max(rho, constant(rho, 0))
	sigma := Add(positive, Log1P(Exp(Neg(Abs(rho)))))
	return []*Node{Add(perRow(mean, rows), Mul(perRow(sigma, rows), epsilon))}
}

func sampleGradient(inputs []*Node) []*Node {
	gradient, rho, epsilon := inputs[0], inputs[1], inputs[2]
	slope := Div(constant(rho, 1), Add(Exp(Neg(rho)), constant(rho, 1)))
	return []*Node{perComponent(gradient, rho), Mul(perComponent(Mul(gradient, epsilon), rho), slope)}
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

// perComponent sums the rows [rows, D] of each component, like [K, D].
func perComponent(x, components *Node) *Node {
	rows, width := x.Shape().Dim(0), x.Shape().Dim(1)
	count := components.Shape().Dim(0)
	rounds := (rows + count - 1) / count
	if missing := rounds*count - rows; missing > 0 {
		x = Pad(x, constant(x, 0), PadAxis{End: missing}, PadAxis{})
	}
	return ReduceSum(Reshape(x, rounds, count, width), 0)
}
