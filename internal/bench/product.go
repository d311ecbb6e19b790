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
// backend, on all cores in use. The product is computed as a matrix product and as a convolution of 1x1 pixels; the best time
// of the faster one counts.
func PeakProduct(ctx context.Context, backend compute.Backend) (float64, error) {
	const count = 12
	asMatrix, err := timeProduct(ctx, backend, matrixProduct, 1)
	if err != nil {
		return 0, err
	}
	asPixels, err := timeProduct(ctx, backend, pixelProduct, count)
	if err != nil {
		return 0, err
	}
	if asMatrix < asPixels {
		if asMatrix, err = timeProduct(ctx, backend, matrixProduct, count); err != nil {
			return 0, err
		}
	}
	return 2 * productSide * productSide * productSide / min(asMatrix, asPixels), nil
}

// timeProduct returns the least of so many times of a product, in seconds.
func timeProduct(ctx context.Context, backend compute.Backend, product func(a, b *Node) *Node, count int) (float64, error) {
	exec, err := NewExec(backend, product)
	if err != nil {
		return 0, fmt.Errorf("bench: the plain product can't be compiled: %w", err)
	}
	defer exec.Finalize()
	a, b := filled(productSide, 0.5), filled(productSide, 0.25)
	seconds, err := Repeat(ctx, 1, count, func() error {
		_, err := exec.Call1(a, b)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bench: the plain product fails: %w", err)
	}
	return NewSpread(seconds).Least, nil
}

// matrixProduct returns one number of the product, so that the time of copying isn't measured on a GPU.
func matrixProduct(a, b *Node) *Node { return corner(Dot(a, b).Product()) }

// pixelProduct sees the rows of a as the pixels of many small images, which the kernels share out to the cores.
func pixelProduct(a, b *Node) *Node {
	const images, imageSide = 64, 4 // 64 images of 4 x 4 pixels are 1024 rows
	pixels := Reshape(a, images, imageSide, imageSide, productSide)
	product := Convolve(pixels, Reshape(b, 1, 1, productSide, productSide)).NoPadding().Done()
	return corner(Reshape(product, productSide, productSide))
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
