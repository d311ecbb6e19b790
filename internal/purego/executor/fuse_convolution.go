package executor

import (
	"slices"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/purego/operation"
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
	if _, fused := n.data.(*finishedConvolution); fused ||
		n.operation != compute.OpTypeConvGeneral {
		return false
	}
	return kindOf(convolutionOf(n), n.shape, n.inputs[0].shape,
		n.inputs[1].shape) == plainConvolution
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

// unfinished returns a copy of a convolution's data, with the fused operations, if more can be
// fused: if it has no other user, doesn't end with the rectifier or a residual, and isn't a
// kernel's gradient. Otherwise nil.
func (f *fuser) unfinished(n *node) *finishedConvolution {
	if !f.isOnly(n, compute.OpTypeConvGeneral) {
		return nil
	}
	data := *finishedOf(n)
	if data.rectify || data.residual || kindOf(data.convolution, n.shape, n.inputs[0].shape,
		n.inputs[1].shape) != plainConvolution {
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

// rectifiedInput describes how a fused convolution processes its images as it reads them, in place
// of the former node: they are normalised and rectified or, without a form, multiplied by their
// noise and rectified. Its inputs follow the convolution's: gain, shift, epsilon, mean, variance
// and the noise if the form has it, or only the noise.
type rectifiedInput struct{ form *operation.NormaliseForm }

// momentsOnly is the data of a normalisation by the batch's moments whose first output has no users
// left.
type momentsOnly struct{ form operation.NormaliseForm }

// fuseInput fuses rectified images, normalised or multiplied by noise, to the convolutions and
// kernels' gradients that read them, if nothing else does: then they needn't be written to memory,
// and the gradient keeps only their sources.
func (f *fuser) fuseInput(n *node) bool {
	if !hasPixels(n.shape) || slices.ContainsFunc(f.users[n], func(user *node) bool {
		return !readsImages(user, n)
	}) {
		return false
	}
	if _, rectifies := n.data.(scaledRectifier); rectifies {
		f.fuseIntoUsers(n, n.inputs[0], &rectifiedInput{}, n.inputs[1])
		return true
	}
	return f.fuseNormalisation(n)
}

// fuseNormalisation fuses the first output of a normalisation.
func (f *fuser) fuseNormalisation(n *node) bool {
	if !n.isSelection || n.selection != 0 || n.inputs[0].operation != compute.OpTypeCall {
		return false
	}
	made := n.inputs[0]
	for _, form := range operation.NormaliseForms() {
		if !form.Rectify || form.Residual {
			continue
		}
		switch kind, in := operation.KindOf(functionOf(made)), made.inputs; kind {
		case form.Batch():
			if form.Noise && in[4].shape.Dimensions[0] != n.shape.Dimensions[0] {
				return false
			}
			mean, variance := made.multipleNodes[1], made.multipleNodes[2]
			f.fuseIntoUsers(n, in[0], &rectifiedInput{&form},
				slices.Concat(in[1:4], []*node{mean, variance}, in[4:])...)
			made.data = &momentsOnly{form}
			return true
		case form.By():
			f.fuseIntoUsers(n, in[0], &rectifiedInput{&form}, in[1:]...)
			return true
		}
	}
	return false
}

// fuseIntoUsers makes the users of images read the source and compute the images themselves.
func (f *fuser) fuseIntoUsers(images, source *node, how *rectifiedInput, more ...*node) {
	for _, user := range f.users[images] {
		changed := *finishedOf(user)
		changed.rectified = how
		user.inputs = slices.Concat([]*node{source}, user.inputs[1:], more)
		user.data = &changed
	}
}

// readsImages reports whether a node is a convolution, or a kernel's gradient, that can rectify its
// input.
func readsImages(n, images *node) bool {
	if n == nil || n.operation != compute.OpTypeConvGeneral || n.inputs[0] != images ||
		slices.Contains(n.inputs[1:], images) {
		return false
	}
	data := finishedOf(n)
	kind := kindOf(data.convolution, n.shape, images.shape, n.inputs[1].shape)
	return data.rectified == nil && (kind == plainConvolution || kind == kernelGradient)
}

// inputRectifier returns the input rectifier of a convolution, or nil. Its inputs are the last
// ones.
func (f *finishedConvolution) inputRectifier(c call) kernel.InputRectifier {
	if f.rectified == nil {
		return nil
	}
	pixels, form := anyPixels(c.inputs[0].shape), f.rectified.form
	if form == nil {
		return kernel.ScaleRectifier(pixels, c.floats(len(c.inputs)-1))
	}
	first := len(c.inputs) - 5
	if form.Noise {
		first--
	}
	numbers := make([][]float32, 0, 6)
	for i := first; i < len(c.inputs); i++ {
		numbers = append(numbers, c.floats(i))
	}
	n := normalisation(*form).kernel(numbers, numbers[5:])
	n.Mean, n.Variance = numbers[3], numbers[4]
	return n.InputRectifier(pixels)
}

// moments executes the normalisation of momentsOnly.
func (m *momentsOnly) moments(c call) ([]*buffer, error) {
	outputs := make([]*buffer, len(c.node.multipleShapes))
	for i := 1; i < len(outputs); i++ {
		var err error
		if outputs[i], err = c.newBuffer(c.node.multipleShapes[i]); err != nil {
			return nil, err
		}
	}
	var noise []float32
	if m.form.Noise {
		noise = c.floats(4)
	}
	kernel.Moments(anyPixels(c.inputs[0].shape), floats(outputs[1]), floats(outputs[2]),
		c.floats(0), noise)
	return outputs, nil
}
