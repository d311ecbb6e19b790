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
