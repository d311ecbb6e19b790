//go:build amd64

package executor

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/kernel"
)

// dotData is the beginning of the data of a DotGeneral node: [batch, rows, inner] with [batch, inner, columns], or with
// [batch, columns, inner] when that is transposed. The batch may be absent.
type dotData struct {
	input            dtypes.DType             `field:"InputDType"`
	output           dtypes.DType             `field:"OutputDType"`
	_                compute.DotGeneralConfig `field:"Config"`
	layout           dotLayout                `field:"Layout"`
	leftContracting  []int                    `field:"LHSContractingAxes"`
	leftBatch        []int                    `field:"LHSBatchAxes"`
	rightContracting []int                    `field:"RHSContractingAxes"`
	rightBatch       []int                    `field:"RHSBatchAxes"`
	batch            int                      `field:"BatchSize"`
	rows             int                      `field:"LHSCrossSize"`
	columns          int                      `field:"RHSCrossSize"`
	inner            int                      `field:"ContractingSize"`
}

type dotLayout int

const (
	plainDot dotLayout = iota
	transposedDot
)

// smallestDot is from how many products on the kernels take over: below, starting them costs more than they save.
const smallestDot = 1 << 12

// dot executes DotGeneral of two matrices: as a convolution of images of one pixel.
func dot(c call) (*buffer, error) {
	data := (*dotData)(pointerIn(&c.node.data))
	if !data.isMatrices() || data.rows*data.columns*data.inner < smallestDot || c.node.shape.IsDynamic() {
		return nil, nil
	}
	output, err := c.newOutput()
	if err != nil {
		return nil, err
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
	return d.input == dtypes.Float32 && d.output == dtypes.Float32 && d.batch == 1 && (d.layout == plainDot || d.layout == transposedDot)
}

// smallDot adds a product of matrices of one number to a graph.
func smallDot(main compute.Function) (compute.Value, error) {
	input, err := main.Parameter("matrix", shapes.Make(dtypes.Float32, 1, 1, 1), nil)
	if err != nil {
		return nil, err
	}
	return main.DotGeneral(input, []int{2}, []int{0}, input, []int{1}, []int{0}, compute.DotGeneralConfig{})
}
