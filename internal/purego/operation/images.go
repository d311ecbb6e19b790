package operation

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// View is the kind of the views of images. Its inputs are those of Views, then padding as an int32,
// scale and shift; its output are the views.
const View Kind = "view"

// Views are crops of chosen images of a data set, some of them mirrored.
type Views struct {
	Data         *Node // uint8 [count, height, width, channels]
	Chosen       *Node // int32 [images], which images of the data
	Down, Across *Node // int32 [images], start of a crop, in pixels of an image with a border of Padding
	Mirror       *Node // int32 [images], 1 for a crop that is mirrored before it's taken
	Padding      int   // width of the black border that a crop may take in
}

// Normalised returns the views times scale plus shift, both [channels]: float32 [images, height,
// width, channels]. Gradients end there.
func (v Views) Normalised(scale, shift *Node) *Node {
	padding := Scalar(v.Data.Graph(), dtypes.Int32, v.Padding)
	return StopGradient(call(View, view, v.Data, v.Chosen, v.Down, v.Across, v.Mirror, padding, scale, shift)[0])
}

func view(inputs []*Node) []*Node {
	data, chosen, down, across, mirror, padding := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5]
	scale, shift := inputs[6], inputs[7]
	d, images := data.Shape().Dimensions, chosen.Shape().Dim(0)
	height, width, channels := d[1], d[2], d[3]
	y := Add(rising(padding, height), Sub(ExpandAxes(down, 1), padding)) // [images, height]
	x := rising(padding, width)                                          // [1, width]
	flipped := Sub(constant(padding, float64(width-1)), x)
	x = Add(x, Mul(ExpandAxes(mirror, 1), Sub(flipped, x)))
	x = Add(x, Sub(ExpandAxes(across, 1), padding)) // [images, width]

	row := Add(Mul(ExpandAxes(chosen, 1), constant(chosen, float64(height))), clamp(y, height))          // [images, height]
	pixel := Add(ExpandAxes(Mul(row, constant(row, float64(width))), 2), ExpandAxes(clamp(x, width), 1)) // [images, height, width]
	values := Gather(Reshape(data, d[0]*height*width, channels), Reshape(pixel, images*height*width, 1)) // [pixels, channels]
	seen := Mul(ExpandAxes(inside(y, height, scale), 2), ExpandAxes(inside(x, width, scale), 1))         // [images, height, width]
	seenValues := Mul(Reshape(ConvertDType(values, scale.DType()), images, height, width, channels), ExpandAxes(seen, 3))
	return []*Node{Add(Mul(seenValues, overChannels(scale)), overChannels(shift))}
}

// rising is 0, 1, ... as [1, size].
func rising(like *Node, size int) *Node {
	return Iota(like.Graph(), shapes.Make(like.DType(), 1, size), 1)
}

// clamp moves coordinates into 0..size-1.
func clamp(x *Node, size int) *Node {
	return Min(Max(x, constant(x, 0)), constant(x, float64(size-1)))
}

// inside returns 1 for coordinates in 0..size-1, else 0.
func inside(x *Node, size int, like *Node) *Node {
	return ConvertDType(Equal(x, clamp(x, size)), like.DType())
}

// The kinds of repetition: Repeat has input x and output y, RepeatGradient the gradient of y and
// that of x.
const (
	Repeat         Kind = "repeat"
	RepeatGradient Kind = "repeat gradient"
)

// RepeatRows repeats every row of x for its copies, which are adjacent: [rows, ...] to
// [rows*copies, ...].
func RepeatRows(x *Node, copies int) *Node {
	if copies == 1 {
		return x
	}
	dimensions := x.Shape().Dimensions
	apart := append([]int{dimensions[0], copies}, dimensions[1:]...)
	together := append([]int{dimensions[0] * copies}, dimensions[1:]...)
	return withGradient([]*Node{x}, func() *Node {
		return call(Repeat, func(inputs []*Node) []*Node {
			all := make([]*Node, copies)
			for i := range all {
				all[i] = ExpandAxes(inputs[0], 1)
			}
			return []*Node{Reshape(Concatenate(all, 1), together...)}
		}, x)[0]
	}, func(gradient *Node) []*Node {
		return call(RepeatGradient, func(inputs []*Node) []*Node {
			return []*Node{ReduceSum(Reshape(inputs[0], apart...), 1)}
		}, gradient)
	})
}
