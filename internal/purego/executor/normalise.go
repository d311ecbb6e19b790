package executor

import (
	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// normalisation executes the normalisations of one form; operation.NormaliseForm lists their
// inputs.
type normalisation operation.NormaliseForm

// batch executes operation.NormaliseForm.Batch.
func (f normalisation) batch(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok || !f.hasOwnNoise(pixels, numbers, 4) {
		return nil, nil
	}
	outputs, err := c.outputs(map[int][]int{0: {len(numbers) - 1}}) // the residual, if anything, is of y's shape
	if err != nil {
		return nil, err
	}
	n := f.kernel(numbers[1:], numbers[4:])
	n.Mean, n.Variance = floats(outputs[1]), floats(outputs[2])
	kernel.Moments(pixels, n.Mean, n.Variance, numbers[0], n.Scale)
	n.Apply(pixels, floats(outputs[0]), numbers[0], f.residual(numbers))
	return outputs, nil
}

// by executes operation.NormaliseForm.By.
func (f normalisation) by(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	outputs, err := c.outputs(map[int][]int{0: {0, len(numbers) - 1}})
	if err != nil {
		return nil, err
	}
	n := f.kernel(numbers[1:], numbers[6:])
	n.Mean, n.Variance = numbers[4], numbers[5]
	n.Apply(pixels, floats(outputs[0]), numbers[0], f.residual(numbers))
	return outputs, nil
}

// gradient executes operation.NormaliseForm.Gradient.
func (f normalisation) gradient(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(1)
	if !ok || !f.hasOwnNoise(pixels, numbers, 7) {
		return nil, nil
	}
	n := f.kernel(numbers[2:], numbers[7:])
	n.Mean, n.Variance = numbers[5], numbers[6]
	outputs, to, activation, err := f.gradients(c, numbers)
	if err != nil {
		return nil, err
	}
	to.Gain, to.Shift = floats(outputs[1]), floats(outputs[2])
	n.Differentiate(pixels, to, numbers[0], activation, numbers[1])
	return outputs, nil
}

// constant executes operation.NormaliseForm.Constant.
func (f normalisation) constant(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(1)
	if !ok || !f.hasOwnNoise(pixels, numbers, 8) {
		return nil, nil
	}
	n := f.kernel(numbers[2:], numbers[8:])
	n.Mean, n.Variance = numbers[5], numbers[6]
	outputs, to, activation, err := f.gradients(c, numbers)
	if err != nil {
		return nil, err
	}
	n.DifferentiateConstant(pixels, to, numbers[7], numbers[0], activation, numbers[1])
	return outputs, nil
}

// gradients returns the outputs of a gradient and where the kernels write in them: the gradient of x
// first, those of the noise and the residual last. The activation, which is the last input, is
// returned with a residual.
func (f normalisation) gradients(
	c call, numbers [][]float32,
) (outputs []*buffer, to kernel.NormalisationGradients, activation []float32, err error) {
	over, noise := map[int][]int{0: {1, 0}}, len(c.node.multipleShapes)-1
	if f.Residual {
		over = map[int][]int{0: {1}, noise: {0}}
		noise--
	}
	if outputs, err = c.outputs(over); err != nil {
		return nil, to, nil, err
	}
	to.Input = floats(outputs[0])
	if f.Noise {
		to.Scale = floats(outputs[noise])
	}
	if f.Residual {
		to.Residual, activation = floats(outputs[noise+1]), numbers[len(numbers)-1]
	}
	return outputs, to, activation, nil
}

// kernel is the normalisation without its moments, from the inputs after x and the optional ones.
func (f normalisation) kernel(numbers, optional [][]float32) kernel.Normalisation {
	n := kernel.Normalisation{Gain: numbers[0], Shift: numbers[1], Epsilon: numbers[2][0], Rectify: f.Rectify}
	if f.Noise {
		n.Scale = optional[0]
	}
	return n
}

// hasOwnNoise reports whether each image has noise of its own, in the input given.
func (f normalisation) hasOwnNoise(pixels kernel.Pixels, numbers [][]float32, input int) bool {
	return !f.Noise || len(numbers[input]) == pixels.Images*pixels.Channels
}

// residual returns the last of the inputs if that is a residual, else nil.
func (f normalisation) residual(numbers [][]float32) []float32 {
	if !f.Residual {
		return nil
	}
	return numbers[len(numbers)-1]
}
