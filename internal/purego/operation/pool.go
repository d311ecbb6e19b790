package operation

import . "github.com/gomlx/gomlx/core/graph"

// The kinds of pooling: PoolMaximum has input x and output y, PoolGradient the gradient of y and x,
// and that of x.
const (
	PoolMaximum  Kind = "pool maximum"
	PoolGradient Kind = "pool gradient"
)

// HalveByMaximum takes the largest value of every two by two pixels, [rows, height, width,
// channels] to [rows, height/2, width/2, channels]. What is left of an odd side is dropped. The
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
		pixels[i] = Slice(x, AxisRange(), AxisRange(), AxisRange(down, down+1), AxisRange(), AxisRange(across, across+1))
	}
	return pixels
}

func largest(pixels [4]*Node) *Node { return Max(Max(pixels[0], pixels[1]), Max(pixels[2], pixels[3])) }

func poolMaximum(inputs []*Node) []*Node {
	y := largest(windows(inputs[0]))
	d := y.Shape().Dimensions
	return []*Node{Reshape(y, d[0], d[1], d[3], d[5])}
}

func poolGradient(inputs []*Node) []*Node {
	x := inputs[1]
	pixels := windows(x)
	best := largest(pixels)
	rest := Reshape(inputs[0], best.Shape().Dimensions...) // what no pixel has got yet
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
		gradient[0] = Pad(gradient[0], constant(x, 0), PadAxis{}, PadAxis{End: down}, PadAxis{End: across}, PadAxis{})
	}
	return gradient
}

// The kinds of average: Average has input x and output y, AverageGradient the gradient of y and
// that of x.
const (
	Average         Kind = "average"
	AverageGradient Kind = "average gradient"
)

// AveragePixels is the mean over the pixels, [rows, height, width, channels] to [rows, channels].
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
