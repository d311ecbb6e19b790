package network

import (
	"slices"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// native computes a node of images whose channels are last, and normalisations within rows; others
// wait until their values are needed.
func (f *graphPass) native(n *protos.NodeProto) {
	switch n.OpType {
	case "LayerNormalization":
		f.normaliseFeatures(n)
		return
	case "Softmax":
		if f.Version() < 13 {
			checkOldSoftmax(n, f.value(n.Input[0]).Rank())
		}
	case "InstanceNormalization", "GroupNormalization":
		f.normaliseGroups(n)
		return
	}
	if f.last[n.Output[0]] != nil { // groups of channels are one image again
		return
	}
	if strings.HasSuffix(n.OpType, "Pool") && f.last[n.Input[0]] == nil &&
		f.value(n.Input[0]).Rank() == 4 {
		f.channelsLast(n.Input[0]) // a window as large as the image takes long
	}
	isImages := func(name string) bool { return f.last[name] != nil }
	if !slices.ContainsFunc(n.Input, isImages) || f.single && slices.Contains(n.Input, f.Input) {
		return
	}
	var images []*Node
	for i, name := range n.Input {
		x := f.last[name]
		if x == nil && slices.Contains([]string{"Add", "Sub", "Mul", "Div", "Clip"}, n.OpType) {
			if x = f.alongImages(name); x == nil && name != "" {
				return
			}
		} else if x == nil && !(i > 0 && n.OpType == "BatchNormalization") {
			return
		}
		images = append(images, x)
	}
	if x := images[0]; n.OpType == "Flatten" && x.Shape().Dim(1)*x.Shape().Dim(2) == 1 &&
		onnx.Int(n, "axis", 1) == 1 {
		f.values[n.Output[0]] = Reshape(x, x.Shape().Dim(0), x.Shape().Dim(3))
	} else {
		f.last[n.Output[0]] = f.ofImages(n, images)
	}
}

// checkOldSoftmax refuses a softmax of the last axes together, as opset 12 defines it, of which
// onnx-gomlx takes the first alone.
func checkOldSoftmax(n *protos.NodeProto, rank int) {
	if axis := int(onnx.Int(n, "axis", 1)); axis != -1 && axis != rank-1 {
		panic("it's a softmax over several axes, which opset 13 doesn't have")
	}
}

// alongImages returns a value that an operation of images takes too, with its channels last and a
// single number as a scalar, or nil if it has more axes.
func (f *graphPass) alongImages(name string) *Node {
	if name == "" {
		return nil
	}
	switch x := f.value(name); {
	case x.Shape().Size() == 1 && x.Rank() <= 4:
		return Reshape(x)
	case x.Rank() <= 4:
		return TransposeAllDims(ExpandLeftToRank(x, 4), 0, 2, 3, 1)
	}
	return nil
}

// ofImages computes a node on images x with channels last, if it's common between convolutions; nil
// leaves it to onnx-gomlx.
func (f *graphPass) ofImages(n *protos.NodeProto, x []*Node) *Node {
	switch n.OpType {
	case "Relu":
		return f.activation(x[0])
	case "Sigmoid":
		return Sigmoid(x[0])
	case "HardSigmoid":
		return hardSigmoid(x[0], onnx.Float(n, "alpha", 0.2), onnx.Float(n, "beta", 0.5))
	case "HardSwish":
		return Mul(x[0], hardSigmoid(x[0], 1.0/6, 0.5))
	case "Add":
		return Add(x[0], x[1])
	case "Sub":
		return Sub(x[0], x[1])
	case "Mul":
		return Mul(x[0], x[1])
	case "Div":
		if x[1].Rank() == 0 {
			return Mul(x[0], Inverse(x[1]))
		}
		return Div(x[0], x[1])
	case "Clip":
		if len(x) == 3 && x[1] != nil && x[2] != nil {
			return clip(x[0], x[1], x[2])
		}
	case "Concat":
		if onnx.Int(n, "axis", 0) == 1 {
			return Concatenate(x, 3)
		}
	case "BatchNormalization":
		return f.normaliseFixed(n, x[0])
	case "MaxPool", "AveragePool":
		return pooled(n, x[0])
	case "GlobalAveragePool":
		return meanOfPixels(x[0])
	case "ReduceMean":
		if axes := onnx.Ints(n, "axes"); onnx.Int(n, "keepdims", 1) != 0 &&
			(slices.Equal(axes, []int{2, 3}) || slices.Equal(axes, []int{-1, -2})) {
			return meanOfPixels(x[0])
		}
	}
	return nil
}

// meanOfPixels averages columns, then rows: long sums lose digits. Its gradient treats both at
// once, with one number an image and channel, for which the pure-Go engine has kernels.
func meanOfPixels(x *Node) *Node {
	mean, _ := InternalFusedOpCaller(func() *Node {
		return ReduceAndKeep(ReduceAndKeep(x, ReduceMean, 2), ReduceMean, 1)
	}, func() *Node { return ReduceAndKeep(x, ReduceMean, 1, 2) }, true)
	return mean
}

func hardSigmoid(x *Node, alpha, beta float64) *Node {
	return clip(AddScalar(MulScalar(x, alpha), beta), ScalarZero(x.Graph(), x.DType()),
		ScalarOne(x.Graph(), x.DType()))
}

// clip returns min(max(x, low), high) by operations for which the pure-Go engine has kernels, in
// its gradient too.
func clip(x, low, high *Node) *Node {
	limited := func() *Node {
		return MulScalar(Max(MulScalar(Max(x, low), -1), Neg(high)), -1)
	}
	masked := func() *Node {
		above, below := Add(x, Neg(low)), Add(MulScalar(x, -1), high)
		inside := Mul(x, StopGradient(Sign(MaxScalar(above, 0))))
		return Mul(inside, StopGradient(Sign(MaxScalar(below, 0))))
	}
	y, _ := InternalFusedOpCaller(limited, masked, true)
	return y
}

// pooled takes the largest number, or the mean, of windows of images. With ceil_mode a last window
// that begins in the image may reach over its end.
func pooled(n *protos.NodeProto, x *Node) *Node {
	window, strides := pairOf(n, "kernel_shape", 1), pairOf(n, "strides", 1)
	if onnx.Ints(n, "dilations") != nil || len(n.Output) > 1 {
		return nil
	}
	pads, over := padsOf(n, x, window, strides, []int{1, 1}), [2]int{}
	for axis, pad := range pads {
		end := x.Shape().Dim(1+axis) + pad[0]
		last := end + pad[1] - window[axis]
		begin := (last + strides[axis] - 1) / strides[axis] * strides[axis]
		if onnx.Int(n, "ceil_mode", 0) != 0 && begin < end {
			over[axis] = begin - last
		}
	}
	pool := MeanPool
	if n.OpType == "MaxPool" {
		two := []int{2, 2}
		if slices.Equal(window, two) && slices.Equal(strides, two) && pads[0] == pads[1] &&
			pads[0] == over && over == [2]int{} {
			return operation.HalveByMaximum(x)
		}
		pool = MaxPool
	} else if onnx.Int(n, "count_include_pad", 0) != 0 {
		x = Pad(x, ScalarZero(x.Graph(), x.DType()), PadAxis{}, PadAxis{Start: pads[0][0],
			End: pads[0][1]}, PadAxis{Start: pads[1][0], End: pads[1][1]}, PadAxis{})
		pads = make([][2]int, 2)
	}
	pads[0][1], pads[1][1] = pads[0][1]+over[0], pads[1][1]+over[1]
	return pool(x).WindowPerAxis(window...).StridePerAxis(strides...).PaddingPerDim(pads).Done()
}

// normaliseFixed normalises by the running statistics in every pass.
func (f *graphPass) normaliseFixed(n *protos.NodeProto, x *Node) *Node {
	scale, shift, mean, variance := f.value(n.Input[1]), f.value(n.Input[2]), f.value(n.Input[3]),
		f.value(n.Input[4])
	scale = Div(scale, Sqrt(AddScalar(variance, onnx.Float(n, "epsilon", 1e-5))))
	x = Add(x, Reshape(Neg(mean), 1, 1, 1, -1))
	return Add(Mul(x, Reshape(scale, 1, 1, 1, -1)), Reshape(shift, 1, 1, 1, -1))
}
