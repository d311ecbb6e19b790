//go:build amd64

package executor

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// compute fills the only output of a call of float32 numbers.
func (c call) compute(fill func(output []float32, inputs [][]float32)) ([]*buffer, error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	outputs, err := c.outputs(nil)
	if err != nil {
		return nil, err
	}
	fill(floats(outputs[0]), numbers)
	return outputs, nil
}

// repeat executes operation.Repeat, repeatGradient operation.RepeatGradient.
func repeat(c call) ([]*buffer, error) {
	rows := c.inputs[0].shape.Dimensions[0]
	return c.compute(func(output []float32, inputs [][]float32) { kernel.Repeat(rows, output, inputs[0]) })
}

func repeatGradient(c call) ([]*buffer, error) {
	rows := c.node.multipleShapes[0].Dimensions[0]
	return c.compute(func(output []float32, inputs [][]float32) { kernel.SumCopies(rows, output, inputs[0]) })
}

// average executes operation.Average, averageGradient operation.AverageGradient.
func average(c call) ([]*buffer, error) {
	pixels := anyPixels(c.inputs[0].shape)
	return c.compute(func(output []float32, inputs [][]float32) { kernel.Average(pixels, output, inputs[0]) })
}

func averageGradient(c call) ([]*buffer, error) {
	pixels := anyPixels(c.node.multipleShapes[0])
	return c.compute(func(output []float32, inputs [][]float32) { kernel.AverageGradient(pixels, output, inputs[0]) })
}

// anyPixels are the sizes of images of any number of channels.
func anyPixels(s shapes.Shape) kernel.Pixels {
	d := s.Dimensions
	return kernel.Pixels{Images: d[0], Pixels: d[1] * d[2], Channels: d[3]}
}

// sample executes operation.Sample, sampleGradient operation.SampleGradient.
func sample(c call) ([]*buffer, error) {
	latents := latentsOf(c.inputs[2].shape, c.inputs[0].shape)
	return c.compute(func(output []float32, inputs [][]float32) { latents.Sample(output, inputs[0], inputs[1], inputs[2]) })
}

func sampleGradient(c call) ([]*buffer, error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	latents := latentsOf(c.inputs[0].shape, c.inputs[1].shape)
	outputs, err := c.outputs(nil)
	if err != nil {
		return nil, err
	}
	latents.SampleGradient(floats(outputs[0]), floats(outputs[1]), numbers[0], numbers[1], numbers[2])
	return outputs, nil
}

func latentsOf(rows, components shapes.Shape) kernel.Latents {
	return kernel.Latents{Rows: rows.Dimensions[0], Components: components.Dimensions[0], Dimensions: components.Dimensions[1]}
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
	outputs, err := c.outputs(nil)
	if err != nil {
		return nil, err
	}
	views.Normalised(floats(outputs[0]), data, scale, shift)
	return outputs, nil
}
