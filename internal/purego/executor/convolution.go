package executor

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// finishedConvolution is the data of a ConvGeneral node with the operations fused to it. Its inputs
// are the images, the kernel, then if it has them the bias, the scale, the residual and the inputs
// of the input rectifier.
type finishedConvolution struct {
	convolution *convolutionData
	reversed    bool // the kernel is read backwards
	bias, scale bool
	rectify     bool
	residual    bool            // images are added to the result
	rectified   *rectifiedInput // nil: the images are read unchanged
}

// finishedOf returns the convolution of a node, with all that was fused to it.
func finishedOf(n *node) *finishedConvolution {
	if data, fused := n.data.(*finishedConvolution); fused {
		return data
	}
	return &finishedConvolution{convolution: convolutionOf(n)}
}

// convolve executes ConvGeneral.
func convolve(c call) (*buffer, error) {
	data := finishedOf(c.node)
	kind := kindOf(data.convolution, c.node.shape, c.inputs[0].shape, c.inputs[1].shape)
	if kind == unknownConvolution {
		return nil, nil
	}
	sizes := sizesOf(data.convolution, kind, c.inputs[0].shape, c.inputs[1].shape, c.node.shape)
	sizes.Reversed, sizes.InputRectifier = data.reversed, data.inputRectifier(c)
	finish, next := data.finish(c)
	fill := func(output []float32) {
		switch kind {
		case kernelGradient:
			installed.kernels.KernelGradient(sizes, c.floats(0), c.floats(1), output)
		case depthwiseConvolution:
			kernel.Depthwise(sizes, output, c.floats(0), c.floats(1))
		default:
			installed.kernels.Convolve(sizes, finish, c.floats(0), c.floats(1), output)
		}
	}
	if data.residual && sizes.Algorithm() == kernel.Direct {
		return c.writeOver(next, fill)
	}
	return c.write(0, fill)
}

// finish returns the kernel's processing of the outputs, and the place of the residual among the
// inputs.
func (f *finishedConvolution) finish(c call) (finish kernel.Finish, next int) {
	finish.Rectify, next = f.rectify, 2
	if f.bias {
		finish.Bias = c.floats(next)
		next++
	}
	if f.scale {
		finish.Scale = c.floats(next)
		next++
	}
	if f.residual {
		finish.Residual = c.floats(next)
	}
	return finish, next
}

// convolutionKind distinguishes what ConvGeneral nodes compute.
type convolutionKind int

const (
	unknownConvolution convolutionKind = iota
	// images with a kernel: the forward pass, and the input gradient
	plainConvolution
	kernelGradient // images with the gradient of the output
	// each channel of images with its kernel; nothing is fused to it
	depthwiseConvolution
)

// kindOf recognises the convolutions of images [rows, height, width, channels] that the kernels
// know.
func kindOf(c *convolutionData, output, input, filter shapes.Shape) convolutionKind {
	if !isStaticImages(input) || !isStaticImages(filter) || !isStaticImages(output) ||
		c.batchGroupCount > 1 {
		return unknownConvolution
	}
	a, plain := c.axes, plainConvolution
	if c.channelGroupCount > 1 {
		if plain = depthwiseConvolution; c.channelGroupCount != output.Dimensions[3] ||
			c.channelGroupCount != input.Dimensions[3] || a.KernelOutputChannels != 3 {
			return unknownConvolution
		}
	}
	switch {
	case a.InputBatch == 0 && a.InputChannels == 3 && slices.Equal(a.InputSpatial, []int{1, 2}) &&
		a.OutputBatch == 0 && a.OutputChannels == 3 && slices.Equal(a.OutputSpatial, []int{1, 2}) &&
		slices.Equal(a.KernelSpatial, []int{0, 1}) &&
		allOne(c.kernelDilations) && (allOne(c.strides) || allOne(c.inputDilations)):
		return plain
	case a.InputBatch == 3 && a.InputChannels == 0 && slices.Equal(a.InputSpatial, []int{1, 2}) &&
		plain == plainConvolution && a.OutputBatch == 2 && a.OutputChannels == 3 &&
		slices.Equal(a.OutputSpatial, []int{0, 1}) &&
		a.KernelInputChannels == 0 && a.KernelOutputChannels == 3 &&
		slices.Equal(a.KernelSpatial, []int{1, 2}) &&
		allOne(c.strides) && allOne(c.inputDilations):
		return kernelGradient
	}
	return unknownConvolution
}

func isStaticImages(s shapes.Shape) bool {
	return s.DType == dtypes.Float32 && s.Rank() == 4 && !s.IsDynamic() && s.Size() > 0
}

func allOne(values []int) bool {
	return !slices.ContainsFunc(values, func(value int) bool { return value != 1 })
}

// orOne returns a value of a list that is empty when all are one.
func orOne(values []int, i int) int {
	if len(values) == 0 {
		return 1
	}
	return values[i]
}

// sizesOf returns the sizes for the kernels.
func sizesOf(c *convolutionData, kind convolutionKind, input, filter,
	output shapes.Shape) kernel.Convolution {
	if kind == kernelGradient {
		return gradientSizes(c, input, filter, output)
	}
	return kernel.Convolution{
		Images: input.Dimensions[0], InputChannels: input.Dimensions[3],
		OutputChannels: output.Dimensions[3],
		Transposed:     c.axes.KernelInputChannels == 3,
		Vertical:       plainAxis(c, 0, input, filter, output),
		Horizontal:     plainAxis(c, 1, input, filter, output),
	}
}

func plainAxis(c *convolutionData, axis int, input, filter, output shapes.Shape) kernel.Axis {
	return kernel.Axis{
		Input: input.Dimensions[1+axis], Kernel: filter.Dimensions[axis],
		Output: output.Dimensions[1+axis],
		Stride: orOne(c.strides, axis), Dilation: orOne(c.inputDilations, axis),
		Before: c.paddings[axis][0],
	}
}

// gradientSizes returns the sizes of the convolution whose kernel gradient a node is: the gradient
// of its output plays the kernel, dilated by the stride, and the gradient of its kernel is the
// output.
func gradientSizes(c *convolutionData, input, gradient, output shapes.Shape) kernel.Convolution {
	axis := func(axis int) kernel.Axis {
		return kernel.Axis{
			Input: input.Dimensions[1+axis], Kernel: output.Dimensions[axis],
			Output: gradient.Dimensions[1+axis],
			Stride: orOne(c.kernelDilations, axis), Dilation: 1, Before: c.paddings[axis][0],
		}
	}
	return kernel.Convolution{
		Images: input.Dimensions[0], InputChannels: input.Dimensions[3],
		OutputChannels: gradient.Dimensions[3],
		Vertical:       axis(0), Horizontal: axis(1),
	}
}

// smallestDot is the least number of products for which a convolution is worth its start.
const smallestDot = 1 << 12

// dot executes DotGeneral of two matrices: as a convolution of images of one pixel, if they are
// large.
func dot(c call) (*buffer, error) {
	data := dotOf(c.node)
	if !data.isMatrices() || c.node.shape.IsDynamic() {
		return nil, nil
	}
	one := kernel.Axis{Input: 1, Kernel: 1, Output: 1, Stride: 1, Dilation: 1}
	sizes := kernel.Convolution{
		Images: data.rows, Vertical: one, Horizontal: one, InputChannels: data.inner,
		OutputChannels: data.columns,
		Transposed:     data.layout == transposedDot,
	}
	return c.write(0, func(output []float32) {
		if data.rows*data.columns*data.inner < smallestDot {
			kernel.SmallProduct(output, c.floats(0), c.floats(1), data.inner, data.columns,
				sizes.Transposed)
		} else {
			installed.kernels.Convolve(sizes, kernel.Finish{}, c.floats(0), c.floats(1), output)
		}
	})
}

func (d *dotData) isMatrices() bool {
	return d.input == dtypes.Float32 && d.output == dtypes.Float32 && d.batch == 1 && d.inner > 0 &&
		(d.layout == plainDot || d.layout == transposedDot)
}
