package executor

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// The data of fused nodes that are no convolutions.
type (
	scaledRectifier struct{} // Max(x, s) is max(x s, 0)
	signProduct     struct{} // Mul(g, y) is g sign(y), Mul(g, y, s) is g s sign(y)
	productSum      struct{} // ReduceSum(x, y) is the sum of x y over the pixels
	// Mul(g, x, s) gives g s where x s is positive, the sum of g x there over the pixels, the sum
	// of the first
	noiseGradients struct{}
)

// isFused reports whether only this package can execute a node.
func isFused(n *node) bool {
	switch n.data.(type) {
	case *finishedConvolution, scaledRectifier, signProduct, productSum, noiseGradients:
		return true
	}
	return false
}

// signedProduct recognises Mul(gradient, Sign(activation)) of large images, with the nodes that
// StopGradient leaves.
func (f *fuser) signedProduct(n *node) (gradient, activation *node, ok bool) {
	if !isPlainProduct(n) || !isLarge(n.shape) {
		return nil, nil, false
	}
	for _, pair := range pairs(n) {
		gradient, sign := pair[0], pair[1]
		for f.isOnly(sign, compute.OpTypeIdentity) {
			sign = sign.inputs[0]
		}
		if f.isOnly(sign, compute.OpTypeSign) && sign.shape.Equal(n.shape) &&
			gradient.shape.Equal(n.shape) {
			return gradient, sign.inputs[0], true
		}
	}
	return nil, nil, false
}

// fuseSign fuses Mul(gradient, Sign(activation)) and Mul(Mul(gradient, scale), Sign(activation)).
func (f *fuser) fuseSign(n *node) bool {
	gradient, activation, ok := f.signedProduct(n)
	if !ok {
		return false
	}
	n.inputs, n.data = []*node{gradient, activation}, signProduct{}
	if images, scale, ok := scaled(gradient); ok && f.isOnly(gradient, compute.OpTypeMul) &&
		hasPixels(n.shape) {
		n.inputs = []*node{images, activation, scale}
	}
	return true
}

// fuseProductSum fuses the sum over the pixels of Mul(left, right).
func (f *fuser) fuseProductSum(n *node) bool {
	product := n.inputs[0]
	if !f.isOnly(product, compute.OpTypeMul) || !isPlainProduct(product) ||
		!hasPixels(product.shape) ||
		!slices.Equal(reducedAxes(n), pixelAxes) ||
		!product.inputs[0].shape.Equal(product.shape) ||
		!product.inputs[1].shape.Equal(product.shape) {
		return false
	}
	n.inputs, n.data = slices.Clone(product.inputs), productSum{}
	return true
}

// fuseNoiseGradient fuses the backward pass of a fused y = relu(s x), s being the noise of each
// image and channel. From the signed product h = Mul(g, Sign(y)), which has two users, come
//
//	Mul(h, s)                    the gradient of x,
//	ReduceSum(Mul(h, x), 1, 2)   the gradient of s,
//	ReduceSum(Mul(h, s), 0,1,2)  the gradient of the bias, if x has one.
//
// h becomes the node that computes all, the others its outputs: the first two as they are, and the
// product in the second line the sums of the first over the pixels, of which the third is the sum.
func (f *fuser) fuseNoiseGradient(n *node) bool {
	gradient, activation, ok := f.signedProduct(n)
	if !ok || !hasPixels(n.shape) || len(f.users[n]) != 2 {
		return false
	}
	for _, order := range [2][2]int{{0, 1}, {1, 0}} {
		output, product := f.users[n][order[0]], f.users[n][order[1]]
		scale, ok := f.otherFactor(output, n)
		input, alsoOK := f.otherFactor(product, n)
		if !ok || !alsoOK || !isRectified(activation, input, scale) ||
			!f.isOnly(product, compute.OpTypeMul) {
			continue
		}
		scaleSums := f.users[product][0]
		if scaleSums.operation == compute.OpTypeReduceSum &&
			slices.Equal(reducedAxes(scaleSums), pixelAxes) {
			f.combine(n, []*node{gradient, input, scale}, []*node{output, scaleSums, product})
			return true
		}
	}
	return false
}

// isRectified reports whether an activation is max(input scale, 0), fused.
func isRectified(activation, input, scale *node) bool {
	_, ok := activation.data.(scaledRectifier)
	return ok && activation.inputs[0] == input && activation.inputs[1] == scale
}

// otherFactor returns the other factor of a product.
func (f *fuser) otherFactor(product, factor *node) (*node, bool) {
	if product == nil || !f.isFloat(product) || !isPlainProduct(product) ||
		product.inputs[0] == product.inputs[1] {
		return nil, false
	}
	if product.inputs[0] == factor {
		return product.inputs[1], true
	}
	return product.inputs[0], true
}

// combine makes a node compute the noise's gradients from its inputs: the gradients of the images
// and of the noise, and the sums of the first over the pixels.
func (f *fuser) combine(n *node, inputs, outputs []*node) {
	images, pixelSums := outputs[0], outputs[2]
	for _, user := range f.users[images] {
		if user != nil && user.operation == compute.OpTypeReduceSum &&
			user.index > pixelSums.index &&
			slices.Equal(reducedAxes(user), allAxes) {
			user.inputs, user.data = []*node{pixelSums}, []int{0}
		}
	}
	pixelSums.shape = outputs[1].shape.Clone()
	n.shape = shapes.Invalid()
	n.inputs, n.data, n.multipleNodes = inputs, noiseGradients{}, outputs
	for i, output := range outputs {
		n.multipleShapes = append(n.multipleShapes, output.shape)
		output.inputs, output.data = []*node{n}, nil
		output.isSelection, output.selection = true, i
	}
}

// signedProducts executes a fused Mul.
func signedProducts(c call) (*buffer, error) {
	gradient, activation := c.floats(0), c.floats(1)
	if len(c.inputs) == 2 {
		return c.write(2, func(output []float32) {
			kernel.MultiplySign(output, gradient, activation)
		})
	}
	scale := c.floats(2)
	pixels, _ := pixelsOf(c.node.shape)
	return c.write(1, func(output []float32) { // the activation is read after output is written
		kernel.ScaleMultiplySign(pixels, output, gradient, activation, scale)
	})
}

// rectifyScaled executes a fused Max.
func rectifyScaled(c call) (*buffer, error) {
	input, scale := c.floats(0), c.floats(1)
	pixels, _ := pixelsOf(c.node.shape)
	return c.write(1, func(output []float32) { kernel.ScaleRectify(pixels, output, input, scale) })
}

// sumProducts executes a fused ReduceSum.
func sumProducts(c call) (*buffer, error) {
	pixels, _ := pixelsOf(c.inputs[0].shape)
	return c.write(0, func(output []float32) {
		kernel.SumProducts(pixels, output, c.floats(0), c.floats(1))
	})
}

// differentiateNoise executes the node of fuseNoiseGradient.
func differentiateNoise(backend unsafe.Pointer, n *node, inputs []*buffer,
	owned []bool) (outputs []*buffer, err error) {
	c := call{backend, n, inputs, owned}
	defer c.recoverInto(&err)
	gradient, input, scale := c.floats(0), c.floats(1), c.floats(2)
	pixels, _ := pixelsOf(n.multipleShapes[0])
	installed.calls.Add(1)
	return c.fill(map[int][]int{0: {0, 1}}, func(outputs [][]float32) {
		kernel.RectifiedNoiseGradient(pixels, outputs[0], outputs[1], outputs[2], gradient, input,
			scale)
	})
}
