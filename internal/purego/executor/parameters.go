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

// parts executes operation.Parts.
func parts(c call) ([]*buffer, error) {
	numbers, areFloats := c.inputs[0].flat.([]float32)
	place, isPlace := c.inputs[1].flat.([]int32)
	if !areFloats || !isPlace {
		return nil, nil
	}
	outputs, err := c.outputs(nil)
	if err != nil {
		return nil, err
	}
	firsts, first := make([]int, len(outputs)), int(place[0])
	for i, output := range outputs {
		firsts[i] = first
		first += len(floats(output))
	}
	kernel.Parallel(kernel.Workers(), len(outputs), func(_, i int) { copy(floats(outputs[i]), numbers[firsts[i]:]) })
	return outputs, nil
}

// descend executes operation.Descent.
func descend(c call) ([]*buffer, error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	step := kernel.Descent{Rate: numbers[0][0], Momentum: numbers[1][0], Decay: numbers[2][0]}
	var outputs []*buffer
	for i := 3; i < len(numbers); i += 3 {
		parameter, err := c.overwrite(i)
		if err != nil {
			return nil, err
		}
		momentum, err := c.overwrite(i + 1)
		if err != nil {
			return nil, err
		}
		step.Step(floats(parameter), floats(momentum), numbers[i+2])
		outputs = append(outputs, parameter, momentum)
	}
	return outputs, nil
}

// descendPlainly executes operation.PlainDescent.
func descendPlainly(c call) ([]*buffer, error) {
	return changeInPlace(c, 1, 2, func(parameter []float32, numbers [][]float32, at int) {
		rate := numbers[0][0]
		for i, slope := range numbers[at+1] {
			parameter[i] -= float32(rate * slope) // rounded before the difference, as in the graph
		}
	})
}

// move executes operation.Moving.
func move(c call) ([]*buffer, error) {
	return changeInPlace(c, 2, 3, func(average []float32, numbers [][]float32, at int) {
		kept, taken, factor := numbers[0][0], numbers[1][0], numbers[at+2][0]
		for i, x := range numbers[at+1] {
			average[i] = float32(average[i]*kept) + float32(float32(x*factor)*taken) // each rounded, as in the graph
		}
	})
}

// changeInPlace changes variables where they are. Some scalars come first, then every so many inputs
// a variable with what changes it: change gets the variable, the numbers of all inputs, and its place
// in them.
func changeInPlace(
	c call, scalars, every int, change func(variable []float32, numbers [][]float32, at int),
) (outputs []*buffer, err error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	for at := scalars; at < len(numbers); at += every {
		variable, err := c.overwrite(at)
		if err != nil {
			return nil, err
		}
		change(floats(variable), numbers, at)
		outputs = append(outputs, variable)
	}
	return outputs, nil
}
