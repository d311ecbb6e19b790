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
	return update(c, 1, func(parameter, gradient []float32, scalars [][]float32) {
		rate := scalars[0][0]
		for i, slope := range gradient {
			parameter[i] -= float32(rate * slope) // rounded before the difference, as in the graph
		}
	})
}

// move executes operation.Moving.
func move(c call) ([]*buffer, error) {
	return update(c, 2, func(average, value []float32, scalars [][]float32) {
		kept, taken := scalars[0][0], scalars[1][0]
		for i, x := range value {
			average[i] = float32(average[i]*kept) + float32(x*taken) // each rounded, as in the graph
		}
	})
}

// update changes variables in place, each by the input after it. They follow a number of scalars.
func update(
	c call, scalars int, change func(variable, input []float32, scalars [][]float32),
) (outputs []*buffer, err error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	for i := scalars; i < len(numbers); i += 2 {
		variable, err := c.overwrite(i)
		if err != nil {
			return nil, err
		}
		change(floats(variable), numbers[i+1], numbers[:scalars])
		outputs = append(outputs, variable)
	}
	return outputs, nil
}
