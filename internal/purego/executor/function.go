//go:build amd64

package executor

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// attemptAll computes all outputs of a node, or returns nil where the stock executor must.
type attemptAll func(c call) ([]*buffer, error)

// functions are the executors of the functions of package operation.
var functions = functionExecutors()

func functionExecutors() map[operation.Kind]attemptAll {
	all := map[operation.Kind]attemptAll{
		operation.PoolMaximum:  poolMaximum,
		operation.PoolGradient: poolGradient,
		operation.Descent:      descend,
		operation.Repeat:       repeat, operation.RepeatGradient: repeatGradient,
		operation.Average: average, operation.AverageGradient: averageGradient,
		operation.Sample: sample, operation.SampleGradient: sampleGradient,
		operation.Noise: noise, operation.NoiseResidual: noise, operation.NoiseGradient: noiseGradient,
		operation.View: view,
	}
	for _, form := range operation.NormaliseForms() {
		all[form.Batch()] = normalisation(form).batch
		all[form.Gradient()] = normalisation(form).gradient
		all[form.By()] = normalisation(form).by
	}
	return all
}

// callExecutor executes calls of functions, those of package operation with the kernels.
func callExecutor(stock multiple) multiple {
	return func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) ([]*buffer, error) {
		if m, joined := n.data.(*momentsOnly); joined {
			return attemptAll(m.moments).guarded(call{backend, n, inputs, owned})
		}
		if installed.active.Load() {
			if try := functions[operation.KindOf(functionOf(n))]; try != nil {
				outputs, err := try.guarded(call{backend, n, inputs, owned})
				if outputs != nil || err != nil {
					installed.calls.Add(1)
					return outputs, err
				}
			}
		}
		return stock(backend, n, inputs, owned)
	}
}

// guarded turns a panic into an error.
func (try attemptAll) guarded(c call) (outputs []*buffer, err error) {
	defer c.recoverInto(&err)
	return try(c)
}

// outputs returns a buffer for each output of a node: an input that may be written over, where one is named for it and owned,
// else a new one. Inputs are named by output, several in the order of preference.
func (c call) outputs(over map[int][]int) ([]*buffer, error) {
	outputs := make([]*buffer, len(c.node.multipleShapes))
	for i, shape := range c.node.multipleShapes {
		for _, input := range over[i] {
			if b := c.inputs[input]; b != nil && c.owned[input] && b.shape.Equal(shape) {
				outputs[i], c.inputs[input] = b, nil
				break
			}
		}
		if outputs[i] != nil {
			continue
		}
		var err error
		if outputs[i], err = newBuffer(c.backend, shape); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// allFloats are the numbers of all inputs, and whether they are all float32.
func (c call) allFloats() (numbers [][]float32, ok bool) {
	for _, input := range c.inputs {
		if input.shape.DType != dtypes.Float32 {
			return nil, false
		}
		numbers = append(numbers, floats(input))
	}
	return numbers, true
}

// poolMaximum executes operation.PoolMaximum.
func poolMaximum(c call) ([]*buffer, error) {
	pool, ok := c.pool(0)
	if !ok {
		return nil, nil
	}
	input := c.floats(0)
	outputs, err := c.outputs(nil)
	if err != nil {
		return nil, err
	}
	pool.Maximum(floats(outputs[0]), input)
	return outputs, nil
}

// poolGradient executes operation.PoolGradient.
func poolGradient(c call) ([]*buffer, error) {
	pool, ok := c.pool(1)
	if !ok {
		return nil, nil
	}
	gradient, input := c.floats(0), c.floats(1)
	outputs, err := c.outputs(map[int][]int{0: {1}})
	if err != nil {
		return nil, err
	}
	pool.MaximumGradient(floats(outputs[0]), gradient, input)
	return outputs, nil
}

// pool are the sizes of a pooling of an input, and whether the kernels know it.
func (c call) pool(input int) (kernel.Pool, bool) {
	shape := c.inputs[input].shape
	if _, ok := pixelsOf(shape); !ok || shape.DType != dtypes.Float32 || shape.Dimensions[1]%2+shape.Dimensions[2]%2 > 0 {
		return kernel.Pool{}, false
	}
	d := shape.Dimensions
	return kernel.Pool{Images: d[0], Height: d[1], Width: d[2], Channels: d[3]}, true
}

// descend executes operation.Descent.
func descend(c call) ([]*buffer, error) {
	numbers, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	outputs, err := c.outputs(map[int][]int{0: {0}, 1: {1}})
	if err != nil {
		return nil, err
	}
	parameter, momentum := floats(outputs[0]), floats(outputs[1])
	copy(parameter, numbers[0])
	copy(momentum, numbers[1])
	kernel.Descent{Rate: numbers[3][0], Momentum: numbers[4][0], Decay: numbers[5][0]}.Step(parameter, momentum, numbers[2])
	return outputs, nil
}
