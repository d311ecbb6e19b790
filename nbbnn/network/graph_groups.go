package network

import (
	"fmt"

	"github.com/gomlx/compute-onnx/support/protos"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// normaliseGroups normalises groups of channels of each row by their own mean and variance. An
// instance normalisation has a group for each of its scales.
func (f *graphPass) normaliseGroups(n *protos.NodeProto) {
	from, to := n.Input[0], n.Output[0]
	scale, shift := f.value(n.Input[1]), f.value(n.Input[2])
	groups := int(onnx.Int(n, "num_groups", int64(scale.Shape().Size())))
	if image, restored := f.groupedImage(n); image != "" {
		from, to = image, restored
	}
	epsilon := onnx.Float(n, "epsilon", 1e-5)
	if f.last[from] != nil || f.value(from).Rank() == 4 {
		f.last[to] = normalisedGroups(f.channelsLast(from), scale, shift, groups, epsilon)
		return
	}
	x := f.value(from)
	d := x.Shape().Dimensions
	images := TransposeAllDims(Reshape(x, d[0], d[1], -1, 1), 0, 2, 3, 1)
	y := normalisedGroups(images, scale, shift, groups, epsilon)
	f.values[to] = Reshape(TransposeAllDims(y, 0, 3, 1, 2), d...)
}

// groupedImage finds the image whose groups of channels are the channels of an instance
// normalisation between two reshapes, as PyTorch writes nn.GroupNorm before opset 21, and the
// value that has the image's shape again; "" if there is none.
func (f *graphPass) groupedImage(n *protos.NodeProto) (image, restored string) {
	before, users := f.maker(n.Input[0]), f.users[n.Output[0]]
	if n.OpType != "InstanceNormalization" || before.GetOpType() != "Reshape" || len(users) != 1 {
		return "", ""
	}
	image = before.Input[0]
	after := f.Nodes[users[0]]
	shape := onnx.Integers(f.maker(before.Input[1]))
	if f.last[image] == nil || after.OpType != "Reshape" || len(shape) != 3 || shape[0] != 0 ||
		shape[2] != -1 {
		return "", ""
	}
	if of := f.maker(after.Input[1]); of.GetOpType() != "Shape" || of.Input[0] != image ||
		len(of.Attribute) > 0 {
		return "", ""
	}
	return image, after.Output[0]
}

// maker returns the node that computes a value, or nil.
func (f *graphPass) maker(name string) *protos.NodeProto {
	if i, is := f.makers[name]; is {
		return f.Nodes[i]
	}
	return nil
}

// normalisedGroups normalises images x [rows, height, width, channels]. scale and shift have a
// number for each channel, or for each group.
func normalisedGroups(x, scale, shift *Node, groups int, epsilon float64) *Node {
	d := x.Shape().Dimensions
	if groups < 1 || d[3]%groups != 0 {
		panic(fmt.Sprintf("it has %d groups of %d channels", groups, d[3]))
	}
	mean := func(x *Node) *Node { // [rows, groups, 1]
		return ReduceAndKeep(Reshape(operation.AveragePixels(x), d[0], groups, -1), ReduceMean, -1)
	}
	overChannels := func(x *Node) *Node { // from [rows or 1, groups, 1 or channels of a group]
		rows := x.Shape().Dim(0)
		return Reshape(BroadcastToDims(x, rows, groups, d[3]/groups), rows, 1, 1, d[3])
	}
	x = Add(x, overChannels(Neg(mean(x))))
	factor := Inverse(Sqrt(AddScalar(mean(Square(x)), epsilon)))
	factor = Mul(factor, Reshape(scale, 1, groups, -1))
	return Add(Mul(x, overChannels(factor)), overChannels(Reshape(shift, 1, groups, -1)))
}
