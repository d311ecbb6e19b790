package operation

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// View is the kind of the views of images. Its inputs are as in Views, then padding as an int32,
// scale and shift; its outputs are the views.
const View Kind = "view"

// Views are crops of chosen images of a data set, some of them mirrored.
type Views struct {
	Data   *Node // uint8 [count, height, width, channels]
	Chosen *Node // int32 [images], which images of the data
	// int32 [images], start of a crop, in pixels of an image with a border of Padding
	Down, Across *Node
	Mirror       *Node // int32 [images], 1 for a crop that is mirrored before it's taken
	Padding      int   // width of the black border that a crop may take in
}

// Normalised returns the views times scale plus shift, both [channels]: float32 [images, height,
// width, channels]. Gradients end there.
func (v Views) Normalised(scale, shift *Node) *Node {
	padding := Scalar(v.Data.Graph(), dtypes.Int32, v.Padding)
	return StopGradient(call(View, view, v.Data, v.Chosen, v.Down, v.Across, v.Mirror, padding,
		scale, shift)[0])
}

func view(inputs []*Node) []*Node {
	data, chosen, down, across, mirror, padding := inputs[0], inputs[1], inputs[2], inputs[3],
		inputs[4], inputs[5]
	scale, shift := inputs[6], inputs[7]
	d, images := data.Shape().Dimensions, chosen.Shape().Dim(0)
	height, width, channels := d[1], d[2], d[3]
	y := Add(rising(padding, height), Sub(ExpandAxes(down, 1), padding)) // [images, height]
	x := rising(padding, width)                                          // [1, width]
	flipped := Sub(constant(padding, float64(width-1)), x)
	x = Add(x, Mul(ExpandAxes(mirror, 1), Sub(flipped, x)))
	x = Add(x, Sub(ExpandAxes(across, 1), padding)) // [images, width]

	// [images, height]
	row := Add(Mul(ExpandAxes(chosen, 1), constant(chosen, float64(height))), clamp(y, height))
	// [images, height, width]
	pixel := Add(ExpandAxes(Mul(row, constant(row, float64(width))), 2),
		ExpandAxes(clamp(x, width), 1))
	// [pixels, channels]
	values := Gather(Reshape(data, d[0]*height*width, channels), Reshape(pixel, images*height*width,
		1))
	// [images, height, width]
	seen := Mul(ExpandAxes(inside(y, height, scale), 2), ExpandAxes(inside(x, width, scale), 1))
	seenValues := Mul(Reshape(ConvertDType(values, scale.DType()), images, height, width, channels),
		ExpandAxes(seen, 3))
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

// inside returns 1 for coordinates in 0..size-1, or 0.
func inside(x *Node, size int, like *Node) *Node {
	return ConvertDType(Equal(x, clamp(x, size)), like.DType())
}

// The kinds of repetition: Repeat has input x and output y, RepeatGradient the gradients of y and
// of x.
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

// The kinds of pooling: PoolMaximum has input x and output y, PoolGradient inputs gradient of y and
// y, x, and output gradient of x.
const (
	PoolMaximum  Kind = "pool maximum"
	PoolGradient Kind = "pool gradient"
)

// HalveByMaximum takes the largest value of every two by two pixels, [rows, height, width,
// channels] to [rows, height/2, width/2, channels]. An odd last row or column is dropped. The
// gradient goes to the first of a window's largest pixels.
func HalveByMaximum(x *Node) *Node {
	return withGradient([]*Node{x}, func() *Node {
		return call(PoolMaximum, poolMaximum, x)[0]
	}, func(gradient *Node) []*Node {
		return call(PoolGradient, poolGradient, gradient, x)
	})
}

// windows divides images into the four pixels of each window, row by row, all [rows, height/2, 1,
// width/2, 1, channels].
func windows(x *Node) (pixels [4]*Node) {
	d := x.Shape().Dimensions
	height, width := d[1]/2, d[2]/2
	if 2*height < d[1] || 2*width < d[2] {
		x = Slice(x, AxisRange(), AxisRange(0, 2*height), AxisRange(0, 2*width))
	}
	x = Reshape(x, d[0], height, 2, width, 2, d[3])
	for i := range pixels {
		down, across := i/2, i%2
		pixels[i] = Slice(x, AxisRange(), AxisRange(), AxisRange(down, down+1), AxisRange(),
			AxisRange(across, across+1))
	}
	return pixels
}

func largest(pixels [4]*Node) *Node {
	return Max(Max(pixels[0], pixels[1]), Max(pixels[2], pixels[3]))
}

func poolMaximum(inputs []*Node) []*Node {
	y := largest(windows(inputs[0]))
	d := y.Shape().Dimensions
	return []*Node{Reshape(y, d[0], d[1], d[3], d[5])}
}

func poolGradient(inputs []*Node) []*Node {
	x := inputs[1]
	pixels := windows(x)
	best := largest(pixels)
	rest := Reshape(inputs[0], best.Shape().Dimensions...) // not yet given to a pixel
	for i, pixel := range pixels {
		pixels[i] = Mul(rest, ConvertDType(Equal(pixel, best), x.DType()))
		rest = Sub(rest, pixels[i])
	}
	rows := Concatenate([]*Node{
		Concatenate([]*Node{pixels[0], pixels[1]}, 4),
		Concatenate([]*Node{pixels[2], pixels[3]}, 4),
	}, 2) // [rows, height/2, 2, width/2, 2, channels]
	d, gradient := rows.Shape().Dimensions, []*Node{nil}
	gradient[0] = Reshape(rows, d[0], 2*d[1], 2*d[3], d[5])
	if down, across := x.Shape().Dim(1)%2, x.Shape().Dim(2)%2; down+across > 0 {
		gradient[0] = Pad(gradient[0], constant(x, 0), PadAxis{}, PadAxis{End: down},
			PadAxis{End: across}, PadAxis{})
	}
	return gradient
}

// The kinds of average: Average has input x and output y, AverageGradient the gradients of y and of
// x.
const (
	Average         Kind = "average"
	AverageGradient Kind = "average gradient"
)

// AveragePixels returns the mean over the pixels, [rows, height, width, channels] to [rows,
// channels].
func AveragePixels(x *Node) *Node {
	d := x.Shape().Dimensions
	share := 1 / float64(d[1]*d[2])
	return withGradient([]*Node{x}, func() *Node {
		return call(Average, func(inputs []*Node) []*Node {
			return []*Node{Mul(ReduceSum(inputs[0], 1, 2), constant(inputs[0], share))}
		}, x)[0]
	}, func(gradient *Node) []*Node {
		return call(AverageGradient, func(inputs []*Node) []*Node {
			shared := Mul(inputs[0], constant(inputs[0], share))
			return []*Node{BroadcastToDims(Reshape(shared, d[0], 1, 1, d[3]), d...)}
		}, gradient)
	})
}

// The kinds of noise: Noise has inputs x, noise and output y, NoiseResidual a residual as well, and
// NoiseGradient the gradient of y, x and noise, and the gradients of the last two.
const (
	Noise         Kind = "noise"
	NoiseResidual Kind = "noise residual"
	NoiseGradient Kind = "noise gradient"
)

// AddNoisy returns x times its noise plus a residual: x and residual [rows, height, width,
// channels], noise [rows, channels]. noise may be nil, which means ones, and residual may be nil,
// which adds nothing.
func AddNoisy(x, noise, residual *Node) *Node {
	if noise == nil || noise.Shape().Dim(0) != x.Shape().Dim(0) {
		return plainNoisy(x, noise, residual)
	}
	kind, inputs := Noise, []*Node{x, noise}
	if residual != nil {
		kind, inputs = NoiseResidual, append(inputs, residual)
	}
	return withGradient(inputs, func() *Node {
		return call(kind, noisy, inputs...)[0]
	}, func(gradient *Node) []*Node {
		gradients := call(NoiseGradient, noisyGradient, gradient, x, noise)
		if residual != nil {
			gradients = append(gradients, gradient)
		}
		return gradients
	})
}

// plainNoisy is AddNoisy without noise, or with the same for all rows, [1, channels].
func plainNoisy(x, noise, residual *Node) *Node {
	if noise != nil {
		x = Mul(x, overPixels(noise))
	}
	if residual != nil {
		x = Add(x, residual)
	}
	return x
}

func noisy(inputs []*Node) []*Node {
	var residual *Node
	if len(inputs) > 2 {
		residual = inputs[2]
	}
	return []*Node{plainNoisy(inputs[0], inputs[1], residual)}
}

func noisyGradient(inputs []*Node) []*Node {
	gradient, x, noise := inputs[0], inputs[1], inputs[2]
	return []*Node{Mul(gradient, overPixels(noise)), ReduceSum(Mul(gradient, x), 1, 2)}
}
