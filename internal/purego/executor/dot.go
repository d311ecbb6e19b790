package executor

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// dotData is the beginning of the data of a DotGeneral node: [batch, rows, inner] with [batch,
// inner, columns], or with [batch, columns, inner] when that is transposed. The batch may be
// absent.
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
	return d.input == dtypes.Float32 && d.output == dtypes.Float32 && d.batch == 1 && (d.layout == plainDot || d.layout == transposedDot)
}

// Sizes of the products that are built to look at, all different.
const smallRows, smallInner, smallColumns = 2, 3, 5

// smallDot adds a product of two small matrices to a graph, the second one in a layout.
func smallDot(main compute.Function, layout dotLayout) (compute.Value, error) {
	dimensions, contracting := []int{1, smallInner, smallColumns}, 1
	if layout == transposedDot {
		dimensions, contracting = []int{1, smallColumns, smallInner}, 2
	}
	left, err := main.Parameter(fmt.Sprint("left", layout), shapes.Make(dtypes.Float32, 1, smallRows, smallInner), nil)
	if err != nil {
		return nil, err
	}
	right, err := main.Parameter(fmt.Sprint("right", layout), shapes.Make(dtypes.Float32, dimensions...), nil)
	if err != nil {
		return nil, err
	}
	return main.DotGeneral(left, []int{2}, []int{0}, right, []int{contracting}, []int{0}, compute.DotGeneralConfig{})
}

// verifyDots builds a product in either layout and reads its data as dot does: the numbers of the
// layouts and the order of the sizes are the backend's. Nothing is computed: the backend's own
// products stop the race detector.
func verifyDots(main compute.Function) error {
	for _, layout := range []dotLayout{plainDot, transposedDot} {
		product, err := smallDot(main, layout)
		if err != nil {
			return fmt.Errorf("executor: the backend builds no product of matrices: %w", err)
		}
		value := any(product)
		if err := dotOf((*node)(pointerIn(&value))).isSmall(layout); err != nil {
			return err
		}
	}
	return nil
}

// isSmall returns an error if the data aren't those of a small product in a layout.
func (d *dotData) isSmall(layout dotLayout) error {
	if !d.isMatrices() || d.layout != layout || d.rows != smallRows || d.inner != smallInner || d.columns != smallColumns {
		return fmt.Errorf("executor: the backend's products of matrices have changed: a product of %d x %d x %d in layout %d has batch %d, %d x %d x %d and layout %d",
			smallRows, smallInner, smallColumns, layout, d.batch, d.rows, d.inner, d.columns, d.layout)
	}
	return nil
}

// dotOf returns the data of a DotGeneral node that the backend built.
func dotOf(n *node) *dotData { return (*dotData)(pointerIn(&n.data)) }
