package operation

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// Normalisation is a batch normalisation of images [rows, height, width, channels] that are first
// multiplied by the noise of each row and channel:
//
//	y = (x noise - mean) / sqrt(variance + Epsilon) gain + shift + residual
type Normalisation struct {
	Gain, Shift *Node   // [channels]
	Noise       *Node   // [rows, channels], or [1, channels] with given moments; nil means ones
	Residual    *Node   // of y's shape; nil adds nothing; needs Rectify
	Rectify     bool    // negative results become zero
	Epsilon     float64 // added to the variance
}

func (n Normalisation) form() NormaliseForm {
	return NormaliseForm{Noise: n.Noise != nil, Residual: n.Residual != nil, Rectify: n.Rectify}
}

// NormaliseBatch normalises x by the mean and the biased variance of each channel over all rows and
// pixels, which it returns too, both [channels]. Gradients pass through the moments, but not from
// them. y has the type of x, which may differ from the parameters' if NormalisesAnyType.
func (n Normalisation) NormaliseBatch(x *Node) (y, mean, variance *Node) {
	if NormalisesAnyType(x.Graph()) {
		return n.normaliseByRows(x)
	}
	form := n.form()
	var values []*Node
	values = withGradients(n.differentiable(x), func() []*Node {
		return call(form.Batch(), form.batch, n.inputs(x)...)
	}, 3, func(gradients []*Node) []*Node {
		inputs := append([]*Node{gradients[0]}, n.required(x)...)
		inputs = append(inputs, values[1:]...)
		if n.Noise != nil {
			inputs = append(inputs, n.Noise)
		}
		if n.Residual != nil {
			inputs = append(inputs, values[0])
		}
		return call(form.Gradient(), form.gradient, inputs...)
	})
	return values[0], values[1], values[2]
}

// NormaliseBy normalises x by a given mean and variance, both [channels].
func (n Normalisation) NormaliseBy(x, mean, variance *Node) *Node {
	inputs := append(n.required(x), mean, variance)
	inputs = append(inputs, n.optional()...)
	form := n.form()
	y, _ := InternalFusedOpCaller(
		func() *Node { return call(form.By(), form.by, inputs...)[0] },
		func() *Node { return form.by(inputs)[0] }, true)
	return y
}

// smallImages is the number of values below which gradients by constant moments are plain products.
// The kernels would gain nothing there, and other engines ask the sign of y, as it was computed.
const smallImages = 4096

// NormaliseConstant is NormaliseBy for constant weights and moments: gradients reach only x, the
// noise (one per row) and the residual.
func (n Normalisation) NormaliseConstant(x, mean, variance *Node) (y *Node) {
	form, required := n.form(), append(n.required(x), mean, variance)
	differentiable := append([]*Node{x}, n.optional()...)
	return withGradient(differentiable, func() *Node {
		y = call(form.By(), form.by, append(slices.Clone(required), n.optional()...)...)[0]
		return y
	}, func(gradient *Node) []*Node {
		factor := Mul(n.Gain, inverseDeviation(variance, required[3])) // [channels]
		if x.Shape().Size() < smallImages {
			return form.constantGradients(gradient, x, y, factor, n.Noise)
		}
		inputs := slices.Concat([]*Node{gradient}, required, []*Node{factor})
		if n.Noise != nil {
			inputs = append(inputs, n.Noise)
		}
		if n.Residual != nil {
			inputs = append(inputs, y)
		}
		return call(form.Constant(), form.constant, inputs...)
	})
}

// required, optional and differentiable are inputs, in the order of NormaliseForm.
func (n Normalisation) required(x *Node) []*Node {
	return []*Node{x, n.Gain, n.Shift, Scalar(x.Graph(), x.DType(), n.Epsilon)}
}

func (n Normalisation) optional() (inputs []*Node) {
	if n.Noise != nil {
		inputs = append(inputs, n.Noise)
	}
	if n.Residual != nil {
		inputs = append(inputs, n.Residual)
	}
	return inputs
}

func (n Normalisation) inputs(x *Node) []*Node { return append(n.required(x), n.optional()...) }

func (n Normalisation) differentiable(x *Node) []*Node {
	return append([]*Node{x, n.Gain, n.Shift}, n.optional()...)
}
