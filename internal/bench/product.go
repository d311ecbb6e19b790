package bench

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// productSide is the side of the square matrices of the plain product: large enough to run at full speed, small enough to
// take a moment.
const productSide = 1024

// PeakProduct measures the floating-point operations a second of a plain product of two square float32 matrices on a
// backend. The product is computed in two ways, as a matrix product and as a convolution of 1x1 pixels, and the best time of
// the faster one counts.
func PeakProduct(ctx context.Context, backend compute.Backend) (float64, error) {
	const warmUp, count = 2, 12
	fastest := 0.0
	for _, product := range []func(a, b *Node) *Node{matrixProduct, pixelProduct} {
		exec, err := NewExec(backend, product)
		if err != nil {
			return 0, fmt.Errorf("bench: the plain product can't be compiled: %w", err)
		}
		a, b := filled(productSide, 0.5), filled(productSide, 0.25)
		seconds, err := Repeat(ctx, warmUp, count, func() error {
			_, err := exec.Call1(a, b)
			return err
		})
		exec.Finalize()
		if err != nil {
			return 0, fmt.Errorf("bench: the plain product fails: %w", err)
		}
		fastest = max(fastest, 2*productSide*productSide*productSide/NewSpread(seconds).Least)
	}
	return fastest, nil
}

// matrixProduct returns one number of the product, so that the time of copying isn't measured on a GPU.
func matrixProduct(a, b *Node) *Node { return corner(Dot(a, b).Product()) }

// pixelProduct sees the rows of a as the pixels of one image.
func pixelProduct(a, b *Node) *Node {
	const imageSide = 32 // 32 x 32 pixels are 1024 rows
	pixels := Reshape(a, 1, imageSide, imageSide, productSide)
	return corner(Reshape(Convolve(pixels, Reshape(b, 1, 1, productSide, productSide)).NoPadding().Done(), productSide, productSide))
}

func corner(x *Node) *Node { return Slice(x, AxisRange(0, 1), AxisRange(0, 1)) }

// filled is a square matrix of one value.
func filled(side int, value float32) *tensors.Tensor {
	values := make([]float32, side*side)
	for i := range values {
		values[i] = value
	}
	return tensors.FromFlatDataAndDimensions(values, side, side)
}
