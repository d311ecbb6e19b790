package executor

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// poolMaximum executes operation.PoolMaximum.
func poolMaximum(c call) ([]*buffer, error) {
	pool, ok := c.pool(0)
	if !ok {
		return nil, nil
	}
	input := c.floats(0)
	return c.fill(nil, func(outputs [][]float32) { pool.Maximum(outputs[0], input) })
}

// poolGradient executes operation.PoolGradient.
func poolGradient(c call) ([]*buffer, error) {
	pool, ok := c.pool(1)
	if !ok {
		return nil, nil
	}
	gradient, input := c.floats(0), c.floats(1)
	return c.fill(map[int][]int{0: {1}}, func(outputs [][]float32) {
		pool.MaximumGradient(outputs[0], gradient, input)
	})
}

// pool returns the sizes of a pooling of an input, and whether the kernels know it.
func (c call) pool(input int) (kernel.Pool, bool) {
	shape := c.inputs[input].shape
	if _, ok := pixelsOf(shape); !ok || shape.DType != dtypes.Float32 ||
		shape.Dimensions[1]%2+shape.Dimensions[2]%2 > 0 {
		return kernel.Pool{}, false
	}
	d := shape.Dimensions
	return kernel.Pool{Images: d[0], Height: d[1], Width: d[2], Channels: d[3]}, true
}

// repeat executes operation.Repeat, repeatGradient operation.RepeatGradient.
func repeat(c call) ([]*buffer, error) {
	rows := c.inputs[0].shape.Dimensions[0]
	return c.compute(func(outputs, inputs [][]float32) {
		kernel.Repeat(rows, outputs[0], inputs[0])
	})
}

func repeatGradient(c call) ([]*buffer, error) {
	rows := c.node.multipleShapes[0].Dimensions[0]
	return c.compute(func(outputs, inputs [][]float32) {
		kernel.SumCopies(rows, outputs[0], inputs[0])
	})
}

// average executes operation.Average, averageGradient operation.AverageGradient.
func average(c call) ([]*buffer, error) {
	pixels := anyPixels(c.inputs[0].shape)
	return c.compute(func(outputs, inputs [][]float32) {
		kernel.Average(pixels, outputs[0], inputs[0])
	})
}

func averageGradient(c call) ([]*buffer, error) {
	pixels := anyPixels(c.node.multipleShapes[0])
	return c.compute(func(outputs, inputs [][]float32) {
		kernel.AverageGradient(pixels, outputs[0], inputs[0])
	})
}

// anyPixels returns the sizes of images of any number of channels.
func anyPixels(s shapes.Shape) kernel.Pixels {
	d := s.Dimensions
	return kernel.Pixels{Images: d[0], Pixels: d[1] * d[2], Channels: d[3]}
}

// view executes operation.View.
func view(c call) ([]*buffer, error) {
	data, ok := c.inputs[0].flat.([]uint8)
	if !ok || c.node.multipleShapes[0].DType != dtypes.Float32 {
		return nil, nil
	}
	var whole [5][]int32 // chosen, down, across, mirror and padding
	for i := range whole {
		if whole[i], ok = c.inputs[1+i].flat.([]int32); !ok {
			return nil, nil
		}
	}
	d := c.inputs[0].shape.Dimensions
	views := kernel.Views{Height: d[1], Width: d[2], Channels: d[3], Padding: whole[4][0],
		Chosen: whole[0], Down: whole[1], Across: whole[2], Mirror: whole[3]}
	scale, shift := c.floats(6), c.floats(7)
	return c.fill(nil, func(outputs [][]float32) {
		views.Normalised(outputs[0], data, scale, shift)
	})
}

// noise executes operation.Noise and operation.NoiseResidual.
func noise(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	return c.fill(map[int][]int{0: {0, len(c.inputs) - 1}}, func(outputs [][]float32) {
		if len(numbers) > 2 {
			kernel.AddScaled(pixels, outputs[0], numbers[0], numbers[1], numbers[2])
		} else {
			kernel.Multiply.Rows(pixels, outputs[0], numbers[0], numbers[1])
		}
	})
}

// noiseGradient executes operation.NoiseGradient.
func noiseGradient(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	return c.fill(map[int][]int{0: {1, 0}}, func(outputs [][]float32) {
		kernel.ScaleGradient(pixels, outputs[0], outputs[1], numbers[0], numbers[1], numbers[2])
	})
}
