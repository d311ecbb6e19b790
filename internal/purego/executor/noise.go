//go:build amd64

package executor

import "github.com/nbbnn/workbench/internal/purego/kernel"

// noise executes operation.Noise and operation.NoiseResidual.
func noise(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	outputs, err := c.outputs(map[int][]int{0: {0, len(c.inputs) - 1}})
	if err != nil {
		return nil, err
	}
	if len(numbers) > 2 {
		kernel.AddScaled(pixels, floats(outputs[0]), numbers[0], numbers[1], numbers[2])
	} else {
		kernel.Multiply.Rows(pixels, floats(outputs[0]), numbers[0], numbers[1])
	}
	return outputs, nil
}

// noiseGradient executes operation.NoiseGradient.
func noiseGradient(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	outputs, err := c.outputs(map[int][]int{0: {1, 0}})
	if err != nil {
		return nil, err
	}
	kernel.ScaleGradient(pixels, floats(outputs[0]), floats(outputs[1]), numbers[0], numbers[1], numbers[2])
	return outputs, nil
}
