package operation

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Depthwise returns the convolution of each channel of images x [rows, height, width, channels]
// with its kernel, w [height, width, 1, channels]. GoMLX's gradient of it would divide the channels
// among as many convolutions.
func Depthwise(x, w *Node, paddings [][2]int, strides []int) *Node {
	return withGradient([]*Node{x, w}, func() *Node {
		return Convolve(x, w).PaddingPerDim(paddings).StridePerAxis(strides...).
			ChannelGroupCount(x.Shape().Dim(3)).Done()
	}, func(gradient *Node) []*Node {
		return []*Node{depthwiseImages(gradient, x, w, paddings, strides),
			depthwiseKernel(gradient, x, w, paddings, strides)}
	})
}

// depthwiseImages is the gradient of the images: the same convolution, with zeros between the
// pixels of the gradient and the kernel backwards.
func depthwiseImages(gradient, x, w *Node, paddings [][2]int, strides []int) *Node {
	around := make([][2]int, len(paddings))
	for axis, padding := range paddings {
		reach := w.Shape().Dim(axis) - 1
		spread := (gradient.Shape().Dim(1+axis)-1)*strides[axis] + 1
		around[axis][0] = reach - padding[0]
		around[axis][1] = x.Shape().Dim(1+axis) + reach - spread - around[axis][0]
	}
	return Convolve(gradient, Reverse(w, 0, 1)).PaddingPerDim(around).
		InputDilationPerAxis(strides...).ChannelGroupCount(x.Shape().Dim(3)).Done()
}

// depthwiseKernel returns the gradient of the kernel, place by place.
func depthwiseKernel(gradient, x, w *Node, paddings [][2]int, strides []int) *Node {
	x = Pad(x, constant(x, 0), PadAxis{}, PadAxis{Start: paddings[0][0], End: paddings[0][1]},
		PadAxis{Start: paddings[1][0], End: paddings[1][1]}, PadAxis{})
	var places []*Node
	steps := func(from, axis int) SliceAxisSpec {
		end := from + (gradient.Shape().Dim(1+axis)-1)*strides[axis] + 1
		return AxisRange(from, end).Stride(strides[axis])
	}
	for i := range w.Shape().Dim(0) {
		for j := range w.Shape().Dim(1) {
			seen := Slice(x, AxisRange(), steps(i, 0), steps(j, 1))
			places = append(places, ReduceSum(Mul(seen, gradient), 0, 1, 2))
		}
	}
	return Reshape(Concatenate(places, 0), w.Shape().Dimensions...)
}
