package operation

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// What the normalisations compute, in GoMLX's own operations; inputs and outputs are those of NormaliseForm.

func (f NormaliseForm) batch(inputs []*Node) []*Node {
	noisy := f.noisy(inputs[0], inputs[4:])
	share := constant(noisy, float64(inputs[1].Shape().Size())/float64(noisy.Shape().Size()))
	mean := Mul(ReduceSum(noisy, 0, 1, 2), share)                                      // [channels]
	variance := Mul(ReduceSum(Square(Sub(noisy, overChannels(mean))), 0, 1, 2), share) // [channels]
	y := normalised(noisy, inputs[1], inputs[2], inputs[3], mean, variance)            // [rows, height, width, channels]
	return []*Node{f.finish(y, inputs), mean, variance}
}

func (f NormaliseForm) by(inputs []*Node) []*Node {
	noisy := f.noisy(inputs[0], inputs[6:])
	return []*Node{f.finish(normalised(noisy, inputs[1], inputs[2], inputs[3], inputs[4], inputs[5]), inputs)}
}

// noisy multiplies images by their noise, the first of the optional inputs.
func (f NormaliseForm) noisy(x *Node, optional []*Node) *Node {
	if !f.Noise {
		return x
	}
	return Mul(x, overPixels(optional[0]))
}

// finish adds the residual, the last of the inputs, and rectifies.
func (f NormaliseForm) finish(y *Node, inputs []*Node) *Node {
	if f.Residual {
		y = Add(y, inputs[len(inputs)-1])
	}
	if f.Rectify {
		y = Max(y, constant(y, 0))
	}
	return y
}

func (f NormaliseForm) gradient(inputs []*Node) []*Node {
	gradient, x, gain, shift, epsilon, mean, variance := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5], inputs[6]
	noisy := f.noisy(x, inputs[7:])
	inverse := inverseDeviation(variance, epsilon)                         // [channels]
	standard := Mul(Sub(noisy, overChannels(mean)), overChannels(inverse)) // [rows, height, width, channels]
	switch {
	case f.Residual:
		gradient = Mul(gradient, Sign(inputs[len(inputs)-1]))
	case f.Rectify:
		y := normalised(noisy, gain, shift, epsilon, mean, variance)
		gradient = Mul(gradient, Sign(Max(y, constant(y, 0))))
	}
	shiftGradient := ReduceSum(gradient, 0, 1, 2)               // [channels]
	gainGradient := ReduceSum(Mul(gradient, standard), 0, 1, 2) // [channels]
	share := constant(x, float64(gain.Shape().Size())/float64(x.Shape().Size()))
	common := Add(overChannels(shiftGradient), Mul(standard, overChannels(gainGradient)))
	noisyGradient := Mul(Sub(gradient, Mul(common, share)), overChannels(Mul(gain, inverse)))
	outputs := []*Node{noisyGradient, gainGradient, shiftGradient}
	if f.Noise {
		outputs[0] = Mul(noisyGradient, overPixels(inputs[7]))
		outputs = append(outputs, ReduceSum(Mul(noisyGradient, x), 1, 2))
	}
	if f.Residual {
		outputs = append(outputs, gradient)
	}
	return outputs
}

func normalised(noisy, gain, shift, epsilon, mean, variance *Node) *Node {
	factor := Mul(gain, inverseDeviation(variance, epsilon))
	return Add(Mul(Sub(noisy, overChannels(mean)), overChannels(factor)), overChannels(shift))
}

func inverseDeviation(variance, epsilon *Node) *Node {
	return Div(constant(variance, 1), Sqrt(Add(variance, epsilon)))
}

// overChannels shapes one number a channel, and overPixels one a row and channel, to go with images.
func overChannels(x *Node) *Node { return Reshape(x, 1, 1, 1, x.Shape().Dim(0)) }
func overPixels(x *Node) *Node   { return Reshape(x, x.Shape().Dim(0), 1, 1, x.Shape().Dim(1)) }
