package executor

import (
	"github.com/gomlx/compute/dtypes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// smallestDot is the least number of products for which a convolution is worth its start.
const smallestDot = 1 << 12

// dot executes DotGeneral of two matrices: as a convolution of images of one pixel, if they are large.
func dot(c call) (*buffer, error) {
	data := dotOf(c.node)
	if !data.isMatrices() || c.node.shape.IsDynamic() {
		return nil, nil
	}
	output, err := c.newOutput()
	if err != nil {
		return nil, err
	}
	if data.rows*data.columns*data.inner < smallestDot {
		kernel.SmallProduct(floats(output), c.floats(0), c.floats(1), data.inner, data.columns, data.layout == transposedDot)
		return output, nil
	}
	one := kernel.Axis{Input: 1, Kernel: 1, Output: 1, Stride: 1, Dilation: 1}
	sizes := kernel.Convolution{
		Images: data.rows, Vertical: one, Horizontal: one, InputChannels: data.inner, OutputChannels: data.columns,
		Transposed: data.layout == transposedDot,
	}
	installed.kernels.Convolve(sizes, kernel.Finish{}, c.floats(0), c.floats(1), floats(output))
	return output, nil
}

func (d *dotData) isMatrices() bool {
	return d.input == dtypes.Float32 && d.output == dtypes.Float32 && d.batch == 1 && d.inner > 0 && (d.layout == plainDot || d.layout == transposedDot)
}
