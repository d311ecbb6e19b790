//go:build amd64

package executor

import (
	"slices"

	"github.com/gomlx/compute"
)

// joinReverse joins the reversed kernel of an input gradient.
func (j *joiner) joinReverse(n *node) bool {
	reverse := n.inputs[1]
	if !isPlainConvolution(n) || !j.isFloat(reverse) || reverse.operation != compute.OpTypeReverse {
		return false
	}
	axes, ok := reverse.data.([]int)
	if !ok || !slices.Equal(slices.Sorted(slices.Values(axes)), kernelAxes) {
		return false
	}
	data := &finishedConvolution{convolution: convolutionOf(n), reversed: true}
	n.inputs, n.data = []*node{n.inputs[0], reverse.inputs[0]}, data
	return true
}

var kernelAxes = []int{0, 1} // of a kernel's height and width

// isPlainConvolution says whether a node is a convolution that the kernels know, with nothing joined to it.
func isPlainConvolution(n *node) bool {
	if _, joined := n.data.(*finishedConvolution); joined || n.operation != compute.OpTypeConvGeneral {
		return false
	}
	return kindOf(convolutionOf(n), n.shape, n.inputs[0].shape, n.inputs[1].shape) == plainConvolution
}

// joinBias joins Add(convolution, bias).
func (j *joiner) joinBias(n *node) bool {
	for _, pair := range pairs(n) {
		convolution, bias := pair[0], pair[1]
		data := j.unfinished(convolution)
		if data == nil || data.bias || data.scale || !convolution.shape.Equal(n.shape) ||
			!isRowOf(bias.shape, n.shape) || bias.shape.Dimensions[0] != 1 {
			continue
		}
		data.bias = true
		finish(n, convolution, data, bias)
		return true
	}
	return false
}

// joinScale joins Mul(convolution, scale).
func (j *joiner) joinScale(n *node) bool {
	convolution, scale, ok := scaled(n)
	if !ok {
		return false
	}
	data := j.unfinished(convolution)
	if data == nil || data.scale {
		return false
	}
	data.scale = true
	finish(n, convolution, data, scale)
	return true
}

// joinRectifier joins Max(convolution, 0), and Max(Mul(images, scale), 0).
func (j *joiner) joinRectifier(n *node) bool {
	for _, pair := range pairs(n) {
		input := pair[0]
		if !isZero(pair[1]) || !input.shape.Equal(n.shape) {
			continue
		}
		if data := j.unfinished(input); data != nil {
			data.rectify = true
			finish(n, input, data)
			return true
		}
		images, scale, ok := scaled(input)
		if ok && j.isOnly(input, compute.OpTypeMul) && hasPixels(n.shape) {
			n.inputs, n.data = []*node{images, scale}, scaledRectifier{}
			return true
		}
	}
	return false
}

// unfinished returns a copy of a convolution's data, with what is joined to it, when more can be joined: when it has no
// other user and doesn't end with the rectifier. Else nil.
func (j *joiner) unfinished(n *node) *finishedConvolution {
	if !j.isOnly(n, compute.OpTypeConvGeneral) {
		return nil
	}
	if data, joined := n.data.(*finishedConvolution); joined {
		if data.rectify {
			return nil
		}
		changed := *data
		return &changed
	}
	if !isPlainConvolution(n) {
		return nil
	}
	return &finishedConvolution{convolution: convolutionOf(n)}
}

// finish turns a node into the convolution with more joined to it.
func finish(n, convolution *node, data *finishedConvolution, more ...*node) {
	n.operation = compute.OpTypeConvGeneral
	n.inputs = append(append([]*node{}, convolution.inputs...), more...)
	n.data = data
}
