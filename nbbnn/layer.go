package nbbnn

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// layer is one stochastic layer: a convolution with its kernel, or a dense layer when kernel is zero.
type layer struct {
	name            string
	kernel          int // side of the square kernel; 0 for a dense layer
	in, out         int // channels or features
	stride, padding int
	bias            bool
	shrink          int     // how many times smaller than the image a convolution's input is
	first           bool    // its input is the image
	start           start   // how it's initialised
	dropout         float64 // probability with which a network without latents drops an input; 0 means none
}

// numbered names the layers of a kind from 1.
func numbered(kind string, index int) string { return fmt.Sprint(kind, index+1) }

// positions is the number of places at which a convolution applies its kernel to an image of the given side.
func (l layer) positions(side int) int {
	if l.kernel == 0 {
		return 1
	}
	side = (side + l.shrink - 1) / l.shrink
	side = (side+2*l.padding-l.kernel)/l.stride + 1
	return side * side
}

// fanIn is the number of inputs that one output sees.
func (l layer) fanIn() int { return max(1, l.kernel*l.kernel) * l.in }

// weightShape is [kernel, kernel, in, out] for a convolution and [in, out] for a dense layer.
func (l layer) weightShape() []int {
	if l.kernel == 0 {
		return []int{l.in, l.out}
	}
	return []int{l.kernel, l.kernel, l.in, l.out}
}

// parameters is the number of deterministic parameters.
func (l layer) parameters() int {
	count := l.fanIn() * l.out
	if l.bias {
		count += l.out
	}
	return count
}

// noisyConvolution returns h = (W (x z) + b) s of equation 1 of the paper for images x [rows, height, width, in], weights
// [kernel, kernel, in, out], bias [out], input latents z [rows, in] and output latents s [rows, out]. The padding is
// explicit on all four sides, whatever the stride. bias, z and s may be nil. The convolution is computed in the type of x, and
// so is the result; the noise and the bias in their own.
func noisyConvolution(x, weights, bias, z, s *Node, stride, padding int) *Node {
	compute := x.DType()
	h := Convolve(asType(scaleChannels(x, z), compute), asType(weights, compute)).
		Strides(stride).
		PaddingPerDim([][2]int{{padding, padding}, {padding, padding}}).
		Done() // [rows, height/stride, width/stride, out]
	if bias != nil {
		h = Add(asType(h, bias.DType()), Reshape(bias, 1, 1, 1, bias.Shape().Dim(-1)))
	}
	return asType(scaleChannels(h, s), compute)
}

// noisyDense returns h = (W (x z) + b) s of equation 1 of the paper for features x [rows, in] and weights [in, out].
// bias, z and s may be nil.
func noisyDense(x, weights, bias, z, s *Node) *Node {
	if z != nil {
		x = Mul(x, z)
	}
	h := Dot(x, weights).Product() // [rows, out]
	if bias != nil {
		h = Add(h, ExpandAxes(bias, 0))
	}
	if s != nil {
		h = Mul(h, s)
	}
	return h
}

// scaleChannels multiplies images [rows, height, width, channels] by one latent a row and channel, constant over the
// pixels; nil latents leave the images as they are.
func scaleChannels(x, latents *Node) *Node {
	if latents == nil {
		return x
	}
	return Mul(asType(x, latents.DType()), Reshape(latents, latents.Shape().Dim(0), 1, 1, latents.Shape().Dim(1)))
}

// relu is max(x, 0). Its gradient is written as one multiplication by the sign of the result, which the pure-Go engine
// does in one pass.
func relu(x *Node) *Node {
	positive := func() *Node { return MaxScalar(x, 0) }
	masked := func() *Node { return Mul(x, StopGradient(Sign(MaxScalar(x, 0)))) }
	y, _ := InternalFusedOpCaller(positive, masked, true)
	return y
}
