//go:build amd64

package executor

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// joinSamples makes a convolution, or a kernel's gradient, of images that were repeated for their samples work on each
// image once: that is the first layer of a network whose noise is on the outputs of layers. A product or quotient by one number a
// channel may lie between.
func (j *joiner) joinSamples(n *node) bool {
	repeated := n.inputs[0]
	images, samples := repeatedImages(repeated)
	if images != nil {
		return shareImages(n, images, samples)
	}
	operand := j.channelwiseOf(repeated)
	if operand < 0 {
		return false
	}
	images, samples = repeatedImages(repeated.inputs[operand])
	if images == nil || slices.ContainsFunc(j.users[repeated], func(user *node) bool { return !sharesImages(user, repeated) }) {
		return false
	}
	repeated.inputs = slices.Clone(repeated.inputs)
	repeated.inputs[operand], repeated.shape = images, images.shape.Clone()
	for _, user := range j.users[repeated] {
		shareImages(user, repeated, samples)
	}
	return true
}

// repeatedImages recognises images [count, height, width, channels], each repeated samples times, one copy after another.
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

// isOneEach says whether a shape is that of images with an axis for one sample behind the first.
func isOneEach(one, images shapes.Shape) bool {
	return slices.Equal(one.Dimensions, slices.Insert(slices.Clone(images.Dimensions), 1, 1))
}

// channelwiseOf is the input of a product or quotient of images by one number a channel that is the images, else -1.
func (j *joiner) channelwiseOf(n *node) int {
	if n.operation != compute.OpTypeMul && n.operation != compute.OpTypeDiv || n.data != nil || !j.isFloat(n) {
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

// sharesImages says whether a node is a convolution or a kernel's gradient of the images.
func sharesImages(n, images *node) bool {
	if n == nil || n.operation != compute.OpTypeConvGeneral || n.inputs[0] != images || n.inputs[1] == images {
		return false
	}
	if _, joined := n.data.(*finishedConvolution); joined {
		return false
	}
	return kindOf(convolutionOf(n), n.shape, images.shape, n.inputs[1].shape) != unknownConvolution
}

// shareImages makes a node work on each of the images once for so many samples.
func shareImages(n, images *node, samples int) bool {
	if !sharesImages(n, n.inputs[0]) {
		return false
	}
	data := &finishedConvolution{convolution: convolutionOf(n), samples: samples}
	n.inputs, n.data = []*node{images, n.inputs[1]}, data
	return true
}
