package executor

import (
	"github.com/nbbnn/workbench/internal/purego/kernel"
)

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
