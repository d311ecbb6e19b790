package executor

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
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

// fuseSamples makes a convolution, or a kernel's gradient, of images that were repeated for their
// samples work on each image once: that is the first layer of a network whose noise is on the
// outputs of layers. A product or quotient by one number a channel may lie between.
func (f *fuser) fuseSamples(n *node) bool {
	repeated := n.inputs[0]
	images, samples := repeatedImages(repeated)
	if images != nil {
		return shareImages(n, images, samples)
	}
	operand := f.channelwiseOf(repeated)
	if operand < 0 {
		return false
	}
	images, samples = repeatedImages(repeated.inputs[operand])
	if images == nil || slices.ContainsFunc(f.users[repeated], func(user *node) bool { return !sharesImages(user, repeated) }) {
		return false
	}
	repeated.inputs = slices.Clone(repeated.inputs)
	repeated.inputs[operand], repeated.shape = images, images.shape.Clone()
	repeated.data = nil // how the shapes before were broadcast
	for _, user := range f.users[repeated] {
		shareImages(user, repeated, samples)
	}
	return true
}

// repeatedImages recognises images [count, height, width, channels], each repeated samples times,
// one copy after another.
func repeatedImages(n *node) (images *node, samples int) {
	if n.operation != compute.OpTypeReshape || len(n.inputs) != 1 || n.inputs[0].operation != compute.OpTypeConcatenate {
		return nil, 0
	}
	copies := n.inputs[0]
	axis, ok := copies.data.(int)
	one := copies.inputs[0]
	if !ok || axis != 1 || one.operation != compute.OpTypeReshape || slices.ContainsFunc(copies.inputs, func(n *node) bool { return n != one }) {
		return nil, 0
	}
	images, samples = one.inputs[0], len(copies.inputs)
	if !isStaticImages(images.shape) || !isStaticImages(n.shape) || !isOneEach(one.shape, images.shape) ||
		n.shape.Dimensions[0] != images.shape.Dimensions[0]*samples || !slices.Equal(n.shape.Dimensions[1:], images.shape.Dimensions[1:]) {
		return nil, 0
	}
	return images, samples
}

// isOneEach reports whether a shape is that of images with an axis for one sample behind the first.
func isOneEach(one, images shapes.Shape) bool {
	return slices.Equal(one.Dimensions, slices.Insert(slices.Clone(images.Dimensions), 1, 1))
}

// channelwiseOf returns which input of a product or quotient by one number per channel is the
// images, or -1.
func (f *fuser) channelwiseOf(n *node) int {
	if n.operation != compute.OpTypeMul && n.operation != compute.OpTypeDiv || isFused(n) || !f.isFloat(n) {
		return -1
	}
	for operand, input := range n.inputs {
		other := n.inputs[1-operand]
		if input.shape.Equal(n.shape) && isRowOf(other.shape, n.shape) && other.shape.Dimensions[0] == 1 {
			return operand
		}
	}
	return -1
}

// sharesImages reports whether a node is a convolution or a kernel's gradient of the images.
func sharesImages(n, images *node) bool {
	if n == nil || n.operation != compute.OpTypeConvGeneral || n.inputs[0] != images || n.inputs[1] == images {
		return false
	}
	if _, fused := n.data.(*finishedConvolution); fused {
		return false
	}
	return kindOf(convolutionOf(n), n.shape, images.shape, n.inputs[1].shape) != unknownConvolution
}

// shareImages makes a node work on each image once for all of its samples.
func shareImages(n, images *node, samples int) bool {
	if !sharesImages(n, n.inputs[0]) {
		return false
	}
	data := &finishedConvolution{convolution: convolutionOf(n), samples: samples}
	n.inputs, n.data = []*node{images, n.inputs[1]}, data
	return true
}
