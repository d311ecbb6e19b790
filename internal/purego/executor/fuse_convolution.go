package executor

import (
	"slices"

	"github.com/gomlx/compute"
)

// fuseReverse fuses the reversed kernel of an input gradient.
func (f *fuser) fuseReverse(n *node) bool {
	reverse := n.inputs[1]
	if !isPlainConvolution(n) || !f.isFloat(reverse) || reverse.operation != compute.OpTypeReverse {
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

// isPlainConvolution reports whether a node is a convolution that the kernels know, with nothing
// fused to it.
func isPlainConvolution(n *node) bool {
	if _, fused := n.data.(*finishedConvolution); fused || n.operation != compute.OpTypeConvGeneral {
		return false
	}
	return kindOf(convolutionOf(n), n.shape, n.inputs[0].shape, n.inputs[1].shape) == plainConvolution
}

// fuseBias fuses Add(convolution, bias).
func (f *fuser) fuseBias(n *node) bool {
	for _, pair := range pairs(n) {
		convolution, bias := pair[0], pair[1]
		data := f.unfinished(convolution)
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

// fuseResidual fuses Add(convolution, images), as where two gradients meet.
func (f *fuser) fuseResidual(n *node) bool {
	for _, pair := range pairs(n) {
		convolution, images := pair[0], pair[1]
		data := f.unfinished(convolution)
		if data == nil || !convolution.shape.Equal(n.shape) || !images.shape.Equal(n.shape) {
			continue
		}
		data.residual = true
		finish(n, convolution, data, images)
		return true
	}
	return false
}

// fuseScale fuses Mul(convolution, scale).
func (f *fuser) fuseScale(n *node) bool {
	convolution, scale, ok := scaled(n)
	if !ok {
		return false
	}
	data := f.unfinished(convolution)
	if data == nil || data.scale {
		return false
	}
	data.scale = true
	finish(n, convolution, data, scale)
	return true
}

// fuseRectifier fuses Max(convolution, 0), and Max(Mul(images, scale), 0).
func (f *fuser) fuseRectifier(n *node) bool {
	for _, pair := range pairs(n) {
		input := pair[0]
		if !isZero(pair[1]) || !input.shape.Equal(n.shape) {
			continue
		}
		if data := f.unfinished(input); data != nil {
			data.rectify = true
			finish(n, input, data)
			return true
		}
		images, scale, ok := scaled(input)
		if ok && f.isOnly(input, compute.OpTypeMul) && hasPixels(n.shape) {
			n.inputs, n.data = []*node{images, scale}, scaledRectifier{}
			return true
		}
	}
	return false
}

// unfinished returns a copy of a convolution's data, with what is fused to it, when more can be
// fused: when it has no other user, ends with neither the rectifier nor a residual, and isn't a
// kernel's gradient, which ends with nothing. Else nil.
func (f *fuser) unfinished(n *node) *finishedConvolution {
	if !f.isOnly(n, compute.OpTypeConvGeneral) {
		return nil
	}
	data := *finishedOf(n)
	if data.rectify || data.residual || kindOf(data.convolution, n.shape, n.inputs[0].shape, n.inputs[1].shape) != plainConvolution {
		return nil
	}
	return &data
}

// finish turns a node into the convolution with more fused to it.
func finish(n, convolution *node, data *finishedConvolution, more ...*node) {
	n.operation = compute.OpTypeConvGeneral
	n.inputs = append(append([]*node{}, convolution.inputs...), more...)
	n.data = data
}
