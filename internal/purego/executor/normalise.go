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
	over := map[int][]int{0: {len(numbers) - 1}} // the residual, if anything, is of y's shape
	return c.fill(over, func(outputs [][]float32) {
		n := f.kernel(numbers[1:], numbers[4:])
		n.Mean, n.Variance = outputs[1], outputs[2]
		kernel.Moments(pixels, n.Mean, n.Variance, numbers[0], n.Scale)
		n.Apply(pixels, outputs[0], numbers[0], f.residual(numbers))
	})
}

// by executes operation.NormaliseForm.By.
func (f normalisation) by(c call) ([]*buffer, error) {
	numbers, pixels, ok := c.images(0)
	if !ok {
		return nil, nil
	}
	return c.fill(map[int][]int{0: {0, len(numbers) - 1}}, func(outputs [][]float32) {
		n := f.kernel(numbers[1:], numbers[6:])
		n.Mean, n.Variance = numbers[4], numbers[5]
		n.Apply(pixels, outputs[0], numbers[0], f.residual(numbers))
	})
}

// gradient executes operation.NormaliseForm.Gradient.
func (f normalisation) gradient(c call) ([]*buffer, error) { return f.differentiate(c, false) }

// constant executes operation.NormaliseForm.Constant.
func (f normalisation) constant(c call) ([]*buffer, error) { return f.differentiate(c, true) }

// differentiate executes a gradient. Its outputs are the gradients of x first, of the noise and the
// residual last. With a residual the activation is the last input.
func (f normalisation) differentiate(c call, constant bool) ([]*buffer, error) {
	numbers, pixels, ok := c.images(1)
	optional := 7
	if constant {
		optional = 8
	}
	if !ok || !f.hasOwnNoise(pixels, numbers, optional) {
		return nil, nil
	}
	over, noise := map[int][]int{0: {1, 0}}, len(c.node.multipleShapes)-1
	if f.Residual {
		over = map[int][]int{0: {1}, noise: {0}}
		noise--
	}
	return c.fill(over, func(outputs [][]float32) {
		n, to := f.kernel(numbers[2:], numbers[optional:]), kernel.NormalisationGradients{
			Input: outputs[0]}
		n.Mean, n.Variance = numbers[5], numbers[6]
		if f.Noise {
			to.Scale = outputs[noise]
		}
		if f.Residual {
			to.Residual = outputs[noise+1]
		}
		if activation := f.residual(numbers); constant {
			n.DifferentiateConstant(pixels, to, numbers[7], numbers[0], activation, numbers[1])
		} else {
			to.Gain, to.Shift = outputs[1], outputs[2]
			n.Differentiate(pixels, to, numbers[0], activation, numbers[1])
		}
	})
}

// kernel returns the normalisation without its moments, from the inputs after x and the optional
// ones.
func (f normalisation) kernel(numbers, optional [][]float32) kernel.Normalisation {
	n := kernel.Normalisation{Gain: numbers[0], Shift: numbers[1], Epsilon: numbers[2][0],
		Rectify: f.Rectify}
	if f.Noise {
		n.Scale = optional[0]
	}
	return n
}

// hasOwnNoise reports whether the given input has noise for each image.
func (f normalisation) hasOwnNoise(pixels kernel.Pixels, numbers [][]float32, input int) bool {
	return !f.Noise || len(numbers[input]) == pixels.Images*pixels.Channels
}

// residual returns the last of the inputs if that is a residual, or nil.
func (f normalisation) residual(numbers [][]float32) []float32 {
	if !f.Residual {
		return nil
	}
	return numbers[len(numbers)-1]
}
