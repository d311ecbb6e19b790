package executor

import (
	"slices"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// binary executes an elementwise operation of two values.
func binary(operation kernel.Operation) attempt {
	return func(c call) (*buffer, error) {
		if !isLarge(c.node.shape) {
			return nil, nil
		}
		left, right, ok := c.operands()
		if !ok {
			return nil, nil
		}
		shape, other, values, others := c.node.shape, c.inputs[right].shape, c.floats(left),
			c.floats(right)
		pixels, hasRows := anyPixelsOf(shape)
		switch {
		case other.Equal(shape):
			return c.write(len(c.inputs), func(output []float32) {
				operation.Values(output, values, others)
			})
		case len(others) == 1:
			return c.write(len(c.inputs), func(output []float32) {
				operation.Number(output, values, others[0])
			})
		case hasRows && isRowOf(other, shape):
			return c.write(len(c.inputs), func(output []float32) {
				operation.Rows(pixels, output, values, others)
			})
		}
		return nil, nil
	}
}

// operands returns the inputs, the one with the output's shape first.
func (c call) operands() (left, right int, ok bool) {
	switch {
	case c.inputs[0].shape.Equal(c.node.shape):
		return 0, 1, true
	case c.inputs[1].shape.Equal(c.node.shape):
		return 1, 0, true
	}
	return 0, 0, false
}

// absolute executes Abs.
func absolute(c call) (*buffer, error) {
	if !isLarge(c.node.shape) {
		return nil, nil
	}
	input := c.floats(0)
	return c.write(len(c.inputs), func(output []float32) { kernel.Absolute(output, input) })
}

// reduceSum executes ReduceSum of images over their pixels, or over the images too, and of matrices
// over their rows.
func reduceSum(c call) (*buffer, error) {
	shape := c.inputs[0].shape
	if !isLarge(shape) {
		return nil, nil
	}
	pixels, areImages := anyPixelsOf(shape)
	var sum func(output, input []float32)
	switch axes := reducedAxes(c.node); {
	case areImages && slices.Equal(axes, pixelAxes):
		sum = func(output, input []float32) { kernel.SumPixels(pixels, output, input) }
	case areImages && slices.Equal(axes, allAxes):
		sum = func(output, input []float32) { kernel.SumImages(pixels, output, input) }
	case shape.Rank() == 2 && slices.Equal(axes, []int{0}):
		sum = kernel.SumRows
	default:
		return nil, nil
	}
	return c.write(0, func(output []float32) { sum(output, c.floats(0)) })
}

// Axes of images [rows, height, width, channels].
var (
	pixelAxes = []int{1, 2}
	allAxes   = []int{0, 1, 2}
)
