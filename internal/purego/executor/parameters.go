package executor

import "github.com/nbbnn/workbench/internal/purego/kernel"

// sample executes operation.Sample.
func sample(c call) ([]*buffer, error) {
	latents := latentsOf(c.inputs[0], c.inputs[2:])
	return c.compute(func(outputs, inputs [][]float32) {
		latents.Sample(outputs, inputs[0], inputs[1], inputs[2:])
	})
}

// sampleGradient executes operation.SampleGradient.
func sampleGradient(c call) ([]*buffer, error) {
	layers := len(c.inputs) / 2
	latents := latentsOf(c.inputs[0], c.inputs[1+layers:])
	return c.compute(func(outputs, inputs [][]float32) {
		latents.SampleGradient(outputs[0], outputs[1], inputs[0], inputs[1:1+layers],
			inputs[1+layers:])
	})
}

// columns executes operation.Columns.
func columns(c call) ([]*buffer, error) {
	latents := latentsOf(c.inputs[0], nil)
	for _, layer := range c.node.multipleShapes {
		latents.Widths = append(latents.Widths, layer.Dimensions[1])
	}
	return c.compute(func(outputs, inputs [][]float32) { latents.Columns(outputs, inputs[0]) })
}

// latentsOf returns the sizes of latents: the parameters have a row for each component, and the
// layers as many columns as their widths.
func latentsOf(parameters *buffer, layers []*buffer) kernel.Latents {
	sizes := kernel.Latents{Components: parameters.shape.Dimensions[0]}
	for _, layer := range layers {
		sizes.Widths = append(sizes.Widths, layer.shape.Dimensions[1])
	}
	return sizes
}

// parts executes operation.Parts.
func parts(c call) ([]*buffer, error) {
	numbers, areFloats := c.inputs[0].flat.([]float32)
	place, isPlace := c.inputs[1].flat.([]int32)
	if !areFloats || !isPlace {
		return nil, nil
	}
	return c.fill(nil, func(outputs [][]float32) {
		firsts, first := make([]int, len(outputs)), int(place[0])
		for i, output := range outputs {
			firsts[i] = first
			first += len(output)
		}
		kernel.Parallel(kernel.Workers(), len(outputs), func(_, i int) {
			copy(outputs[i], numbers[firsts[i]:])
		})
	})
}

// descend executes operation.Descent.
func descend(c call) ([]*buffer, error) {
	return changeInPlace(c, 3, 3, 2, func(variables, numbers [][]float32, at int) {
		step := kernel.Descent{Rate: numbers[0][0], Momentum: numbers[1][0], Decay: numbers[2][0]}
		step.Step(variables[0], variables[1], numbers[at+2])
	})
}

// descendPlainly executes operation.PlainDescent.
func descendPlainly(c call) ([]*buffer, error) {
	return changeInPlace(c, 1, 2, 1, func(variables, numbers [][]float32, at int) {
		rate := numbers[0][0]
		for i, slope := range numbers[at+1] {
			// rounded before the difference, as in the graph
			variables[0][i] -= float32(rate * slope)
		}
	})
}

// move executes operation.Moving.
func move(c call) ([]*buffer, error) {
	return changeInPlace(c, 2, 3, 1, func(variables, numbers [][]float32, at int) {
		average, kept, taken, factor := variables[0], numbers[0][0], numbers[1][0], numbers[at+2][0]
		for i, x := range numbers[at+1] {
			// each rounded, as in the graph
			average[i] = float32(average[i]*kept) + float32(float32(x*factor)*taken)
		}
	})
}

// changeInPlace changes variables where they are. The inputs are scalars, then groups of every
// inputs, of which the first changed are variables: change gets these variables, the numbers of all
// inputs, and the place of the first variable in them.
func changeInPlace(
	c call, scalars, every, changed int, change func(variables, numbers [][]float32, at int),
) (outputs []*buffer, err error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	for at := scalars; at < len(numbers); at += every {
		var variables [][]float32
		for i := range changed {
			variable, err := c.overwrite(at + i)
			if err != nil {
				return nil, err
			}
			outputs, variables = append(outputs, variable), append(variables, floats(variable))
		}
		change(variables, numbers, at)
	}
	return outputs, nil
}
