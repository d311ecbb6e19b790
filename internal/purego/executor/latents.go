package executor

import "github.com/nbbnn/workbench/internal/purego/kernel"

// sample executes operation.Sample.
func sample(c call) ([]*buffer, error) {
	numbers, outputs, err := c.intoNew()
	if outputs == nil {
		return nil, err
	}
	latents := latentsOf(c.inputs[0], c.inputs[2:])
	latents.Sample(allOf(outputs), numbers[0], numbers[1], numbers[2:])
	return outputs, nil
}

// sampleGradient executes operation.SampleGradient.
func sampleGradient(c call) ([]*buffer, error) {
	numbers, outputs, err := c.intoNew()
	if outputs == nil {
		return nil, err
	}
	layers := len(numbers) / 2
	latents := latentsOf(c.inputs[0], c.inputs[1+layers:])
	latents.SampleGradient(floats(outputs[0]), floats(outputs[1]), numbers[0], numbers[1:1+layers], numbers[1+layers:])
	return outputs, nil
}

// columns executes operation.Columns.
func columns(c call) ([]*buffer, error) {
	numbers, outputs, err := c.intoNew()
	if outputs == nil {
		return nil, err
	}
	latentsOf(c.inputs[0], outputs).Columns(allOf(outputs), numbers[0])
	return outputs, nil
}

// latentsOf are the sizes of latents: the parameters have a row for each component, and the layers as
// many columns as their widths.
func latentsOf(parameters *buffer, layers []*buffer) kernel.Latents {
	sizes := kernel.Latents{Components: parameters.shape.Dimensions[0]}
	for _, layer := range layers {
		sizes.Widths = append(sizes.Widths, layer.shape.Dimensions[1])
	}
	return sizes
}

// allOf are the numbers of buffers.
func allOf(buffers []*buffer) (numbers [][]float32) {
	for _, b := range buffers {
		numbers = append(numbers, floats(b))
	}
	return numbers
}
