package measure

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Sides of the square matrices of a plain product: large enough to run at full speed, small enough
// to take a moment.
const (
	ProcessorSide = 1024
	DeviceSide    = 8192
)

// repetitions is how often a product is timed.
const repetitions = 12

// PeakProduct measures the floating-point operations a second of a plain product of two square
// float32 matrices on a backend of the processor, on all cores in use. The product is computed as a
// matrix product and as a convolution of 1x1 pixels; the best time of the faster one counts.
func PeakProduct(ctx context.Context, backend compute.Backend) (float64, error) {
	matrix := randomMatrix(ProcessorSide)
	asMatrix, err := timeProduct(ctx, backend, matrixProduct, matrix, 1)
	if err != nil {
		return 0, err
	}
	asPixels, err := timeProduct(ctx, backend, pixelProduct, matrix, repetitions)
	if err != nil {
		return 0, err
	}
	if asMatrix < asPixels {
		if asMatrix, err = timeProduct(ctx, backend, matrixProduct, matrix, repetitions); err != nil {
			return 0, err
		}
	}
	return productOperations(ProcessorSide) / min(asMatrix, asPixels), nil
}

// PeakDeviceProduct measures the same on a device other than the processor, of matrices of
// a side and a type.
func PeakDeviceProduct(ctx context.Context, backend compute.Backend, side int, dtype dtypes.DType) (float64, error) {
	matrix, err := CallOnce(backend, func(a *Node) *Node { return ConvertDType(a, dtype) }, randomMatrix(side))
	if err != nil {
		return 0, fmt.Errorf("bench: the matrix of the plain product can't be made: %w", err)
	}
	seconds, err := timeProduct(ctx, backend, deviceProduct, matrix, repetitions)
	if err != nil {
		return 0, err
	}
	return productOperations(side) / seconds, nil
}

func productOperations(side int) float64 { return 2 * float64(side) * float64(side) * float64(side) }

// timeProduct returns the least of so many times of a product, in seconds.
func timeProduct(ctx context.Context, backend compute.Backend, product func(a *Node) *Node, a *tensors.Tensor, count int) (float64, error) {
	exec, err := NewExec(backend, product)
	if err != nil {
		return 0, fmt.Errorf("bench: the plain product can't be compiled: %w", err)
	}
	defer exec.Finalize()
	seconds, err := Repeat(ctx, 1, count, func() error {
		_, err := exec.Call1(a)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bench: the plain product fails: %w", err)
	}
	return NewSpread(seconds).Least, nil
}

// matrixProduct returns one number of the product, so that the time of copying isn't measured.
func matrixProduct(a *Node) *Node { return corner(Dot(a, a).Product()) }

// pixelProduct sees the rows of a as the pixels of many small images, which the kernels share out
// to the cores.
func pixelProduct(a *Node) *Node {
	const images, imageSide = 64, 4 // 64 images of 4 x 4 pixels are 1024 rows
	pixels := Reshape(a, images, imageSide, imageSide, ProcessorSide)
	product := Convolve(pixels, Reshape(a, 1, 1, ProcessorSide, ProcessorSide)).NoPadding().Done()
	return corner(Reshape(product, ProcessorSide, ProcessorSide))
}

func corner(x *Node) *Node { return Slice(x, AxisRange(0, 1), AxisRange(0, 1)) }

// deviceProduct returns the largest number of the product: a compiler could leave out what a corner
// doesn't need.
func deviceProduct(a *Node) *Node { return ReduceAllMax(Dot(a, a).Product()) }

// randomMatrix is a square matrix of numbers between -1/2 and 1/2: a processor that computes with
// constants needs less power, and some run faster then.
func randomMatrix(side int) *tensors.Tensor {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, side*side)
	for i := range values {
		values[i] = random.Float32() - 0.5
	}
	return tensors.FromFlatDataAndDimensions(values, side, side)
}
