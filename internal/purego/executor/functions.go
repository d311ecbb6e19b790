package executor

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// attemptAll computes all outputs of a node, or returns nil to leave it to the stock executor.
type attemptAll func(c call) ([]*buffer, error)

// functions are the executors of the functions of package operation.
var functions = functionExecutors()

func functionExecutors() map[operation.Kind]attemptAll {
	all := map[operation.Kind]attemptAll{
		operation.PoolMaximum:  poolMaximum,
		operation.PoolGradient: poolGradient,
		operation.Descent:      descend, operation.PlainDescent: descendPlainly,
		operation.Moving: move,
		operation.Repeat: repeat, operation.RepeatGradient: repeatGradient,
		operation.Average: average, operation.AverageGradient: averageGradient,
		operation.Sample: sample, operation.SampleGradient: sampleGradient,
		operation.Columns: columns,
		operation.Noise:   noise, operation.NoiseResidual: noise,
		operation.NoiseGradient: noiseGradient,
		operation.View:          view, operation.Parts: parts,
	}
	for _, form := range operation.NormaliseForms() {
		all[form.Batch()] = normalisation(form).batch
		all[form.Gradient()] = normalisation(form).gradient
		all[form.By()] = normalisation(form).by
		all[form.Constant()] = normalisation(form).constant
	}
	return all
}

// callExecutor executes calls of functions, and package operation's with the kernels.
func callExecutor(stock multiple) multiple {
	return func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) ([]*buffer,
		error) {
		if m, fused := n.data.(*momentsOnly); fused {
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

// outputs returns a buffer for each output of a node: an owned input listed for it, which may be
// overwritten, or a new one. over lists inputs by output, in order of preference.
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
		if outputs[i], err = c.newBuffer(shape); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// allFloats returns the numbers of all inputs, and whether they are all float32.
func (c call) allFloats() (numbers [][]float32, ok bool) {
	for _, input := range c.inputs {
		if input.shape.DType != dtypes.Float32 {
			return nil, false
		}
		numbers = append(numbers, floats(input))
	}
	return numbers, true
}

// fill lets the kernels fill all outputs, over the inputs that may be overwritten as outputs has
// them.
func (c call) fill(over map[int][]int, fill func(outputs [][]float32)) ([]*buffer, error) {
	outputs, err := c.outputs(over)
	if err != nil {
		return nil, err
	}
	var numbers [][]float32
	for _, output := range outputs {
		numbers = append(numbers, floats(output))
	}
	fill(numbers)
	return outputs, nil
}

// compute fills new outputs of a call of float32 numbers.
func (c call) compute(fill func(outputs, inputs [][]float32)) ([]*buffer, error) {
	inputs, ok := c.allFloats()
	if !ok {
		return nil, nil
	}
	return c.fill(nil, func(outputs [][]float32) { fill(outputs, inputs) })
}

// images returns the numbers of all inputs, and the sizes of the images among them, if the kernels
// know them.
func (c call) images(input int) (numbers [][]float32, pixels kernel.Pixels, ok bool) {
	if numbers, ok = c.allFloats(); !ok {
		return nil, pixels, false
	}
	pixels, ok = pixelsOf(c.inputs[input].shape)
	return numbers, pixels, ok && c.inputs[input].shape.DType == dtypes.Float32
}
