package operation

import . "github.com/gomlx/gomlx/core/graph"

// The kinds of normalisation. The name of a form's kind adds its optional inputs: see kind.
const (
	normalise         = "normalise"
	normaliseGradient = "normalise gradient"
	normaliseBy       = "normalise by"
	constantGradient  = "normalise by gradient"
)

// NormaliseForm lists which optional inputs a normalisation has. The inputs of its four kinds are,
// with those in brackets if the form has them:
//
//	Batch:    x, gain, shift, epsilon, (noise), (residual); outputs y, mean, variance
//	Gradient: gradient, x, gain, shift, epsilon, mean, variance, (noise), (activation);
//	          outputs those of x, gain, shift, (noise), (residual),
//	          where the activation is y and comes with a residual
//	By:       x, gain, shift, epsilon, mean, variance, (noise), (residual); output y
//	Constant: gradient, x, gain, shift, epsilon, mean, variance, factor, (noise), (activation);
//	          outputs those of x, (noise), (residual),
//	          where factor is gain over the standard deviation
type NormaliseForm struct{ Noise, Residual, Rectify bool }

// NormaliseForms are all forms that there are.
func NormaliseForms() (forms []NormaliseForm) {
	for _, noise := range []bool{false, true} {
		forms = append(forms, NormaliseForm{Noise: noise},
			NormaliseForm{Noise: noise, Rectify: true},
			NormaliseForm{Noise: noise, Residual: true, Rectify: true})
	}
	return forms
}

// Batch returns the kind of the normalisation by the batch's own moments.
func (f NormaliseForm) Batch() Kind { return f.kind(normalise) }

// Gradient returns the kind of the gradient of Batch.
func (f NormaliseForm) Gradient() Kind { return f.kind(normaliseGradient) }

// By returns the kind of the normalisation by given moments.
func (f NormaliseForm) By() Kind { return f.kind(normaliseBy) }

// Constant returns the kind of the gradient of By for constant weights and moments.
func (f NormaliseForm) Constant() Kind { return f.kind(constantGradient) }

func (f NormaliseForm) kind(name string) Kind {
	for _, part := range []struct {
		has  bool
		name string
	}{{f.Noise, " noise"}, {f.Residual, " residual"}, {f.Rectify, " rectify"}} {
		if part.has {
			name += part.name
		}
	}
	return Kind(name)
}

// What the normalisations compute, in GoMLX's own operations; inputs and outputs are as in
// NormaliseForm.

func (f NormaliseForm) batch(inputs []*Node) []*Node {
	noisy := f.noisy(inputs[0], inputs[4:])
	share := constant(noisy, float64(inputs[1].Shape().Size())/float64(noisy.Shape().Size()))
	mean := Mul(ReduceSum(noisy, 0, 1, 2), share)                                      // [channels]
	variance := Mul(ReduceSum(Square(Sub(noisy, overChannels(mean))), 0, 1, 2), share) // [channels]
	// [rows, height, width, channels]
	y := normalised(noisy, inputs[1], inputs[2], inputs[3], mean, variance)
	return []*Node{f.finish(y, inputs), mean, variance}
}

func (f NormaliseForm) by(inputs []*Node) []*Node {
	noisy := f.noisy(inputs[0], inputs[6:])
	return []*Node{f.finish(normalised(noisy, inputs[1], inputs[2], inputs[3], inputs[4],
		inputs[5]), inputs)}
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
	gradient, x, gain, shift, epsilon, mean, variance := inputs[0], inputs[1], inputs[2], inputs[3],
		inputs[4], inputs[5], inputs[6]
	noisy := f.noisy(x, inputs[7:])
	inverse := inverseDeviation(variance, epsilon) // [channels]
	// [rows, height, width, channels]
	standard := Mul(Sub(noisy, overChannels(mean)), overChannels(inverse))
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

func (f NormaliseForm) constant(inputs []*Node) []*Node {
	x, y, noise := inputs[1], inputs[len(inputs)-1], (*Node)(nil)
	if f.Rectify && !f.Residual {
		y = Max(normalised(f.noisy(x, inputs[8:]), inputs[2], inputs[3], inputs[4], inputs[5],
			inputs[6]), constant(x, 0))
	}
	if f.Noise {
		noise = inputs[8]
	}
	return f.constantGradients(inputs[0], x, y, inputs[7], noise)
}

// constantGradients returns the gradients of x, the noise and the residual from the gradient of y =
// x noise factor + constant + residual, of which only the sign matters.
func (f NormaliseForm) constantGradients(gradient, x, y, factor, noise *Node) []*Node {
	factor = Reshape(factor, 1, factor.Shape().Dim(0))
	scale := factor // [1 or rows, channels]
	if f.Noise {
		scale = Mul(noise, factor)
	}
	if f.Rectify {
		gradient = Mul(gradient, Sign(y))
	}
	gradients := []*Node{Mul(gradient, overPixels(scale))}
	if f.Noise {
		// [rows, channels]
		gradients = append(gradients, Mul(ReduceSum(Mul(gradient, x), 1, 2), factor))
	}
	if f.Residual {
		gradients = append(gradients, gradient)
	}
	return gradients
}

func normalised(noisy, gain, shift, epsilon, mean, variance *Node) *Node {
	factor := Mul(gain, inverseDeviation(variance, epsilon))
	return Add(Mul(Sub(noisy, overChannels(mean)), overChannels(factor)), overChannels(shift))
}

func inverseDeviation(variance, epsilon *Node) *Node {
	return Div(constant(variance, 1), Sqrt(Add(variance, epsilon)))
}

// overChannels shapes one number a channel, and overPixels one a row and channel, to go with
// images.
func overChannels(x *Node) *Node { return Reshape(x, 1, 1, 1, x.Shape().Dim(0)) }
func overPixels(x *Node) *Node   { return Reshape(x, x.Shape().Dim(0), 1, 1, x.Shape().Dim(1)) }
