package network

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute-onnx/support/protos"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/onnx-gomlx/onnx/parser"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/purego/operation"
)

// graphPass is the forward pass of a network from a file under construction. Layers and common
// operations between them are computed here, images with their channels last, so that they have
// kernels; the nodes between these by onnx-gomlx.
type graphPass struct {
	*pass
	*graphNetwork
	layers []layer // of the architecture
	rows   int
	values map[string]*Node // floating-point values by name, as ONNX has them
	last   map[string]*Node // images with their channels last
	single bool             // the input is one row an image, not yet one a sample
	traced map[string]onnx.Traced
	at     *protos.NodeProto // the node that is computed
}

// forward builds the forward pass, from images [images, height, width, 3] to logits [rows,
// classes].
func (net *graphNetwork) forward(with *pass, layers []layer, images *Node) *Node {
	f := &graphPass{pass: with, graphNetwork: net, layers: layers, values: map[string]*Node{},
		last: map[string]*Node{}, traced: map[string]onnx.Traced{}}
	logits := f.run(images)
	return ConvertDType(logits, with.numbers())
}

func (f *graphPass) run(images *Node) *Node {
	samples := max(1, f.samples)
	f.rows = images.Shape().Dim(0) * samples
	users := f.users[f.Input]
	f.single = samples > 1 && len(users) == 1 && f.Nodes[users[0]].OpType == "Conv" &&
		!f.ChannelsLast
	if samples > 1 && !f.single {
		images = operation.RepeatRows(images, samples)
	}
	if f.Property(channelsKey) == "bgr" {
		images = Reverse(images, -1)
	}
	if f.ChannelsLast {
		f.values[f.Input] = images
	} else {
		f.last[f.Input] = images
	}
	places := map[*protos.NodeProto]int{}
	for i, l := range f.Layers {
		places[l.Node] = i
	}
	for _, n := range f.Nodes {
		f.at = n
		if i, is := places[n]; is {
			f.layer(f.Layers[i], f.layers[i])
		} else {
			f.native(n)
		}
	}
	f.at = nil
	return f.value(f.Output)
}

// channelsKey is the property of a graph whose images have the order bgr.
const channelsKey = "channels"

// value returns a floating-point value as ONNX has it.
func (f *graphPass) value(name string) *Node {
	if x := f.values[name]; x != nil {
		return x
	}
	if x := f.last[name]; x != nil {
		f.values[name] = TransposeAllDims(x, 0, 3, 1, 2)
		return f.values[name]
	}
	if v := f.Variables[name]; v != nil {
		f.values[name] = f.pass.value(variableOf(v))
		return f.values[name]
	}
	f.between(name)
	return f.values[name]
}

// channelsLast returns images [rows, height, width, channels].
func (f *graphPass) channelsLast(name string) *Node {
	if f.last[name] == nil {
		f.last[name] = TransposeAllDims(f.value(name), 0, 2, 3, 1)
	}
	return f.last[name]
}

// layer computes h = (W (x z) + b) s of equation 1 of the paper for a layer of the file; the bias
// of a MatMul is a sum that follows it.
func (f *graphPass) layer(l onnx.Layer, own layer) {
	z, s := f.latents(own)
	if l.Kernel > 0 {
		f.convolution(l, z, s)
		return
	}
	n := l.Node
	x, w := f.value(n.Input[0]), f.value(n.Input[1])
	axis := f.rowAxis(l, x)
	if z != nil {
		x = Mul(x, alongRows(z, x, axis))
	}
	contracted := 0
	if n.OpType == "Gemm" && onnx.Int(n, "transB", 0) != 0 {
		contracted = 1
	}
	h := DotGeneral(x, []int{x.Rank() - 1}, nil, w, []int{contracted}, nil)
	if n.OpType == "Gemm" {
		if alpha := onnx.Float(n, "alpha", 1); alpha != 1 {
			h = MulScalar(h, alpha)
		}
		if len(n.Input) > 2 && n.Input[2] != "" {
			bias := MulScalar(f.value(n.Input[2]), onnx.Float(n, "beta", 1))
			h = Add(h, ExpandLeftToRank(bias, h.Rank()))
		}
	}
	f.positions(l, axis, h, f.rows)
	if s != nil {
		h = Mul(h, alongRows(s, h, axis))
	}
	f.values[n.Output[0]] = f.show(l.Name, h)
}

// rowAxis returns the axis of a layer's input along which the rows are; -1 if none has their
// number.
func (f *graphPass) rowAxis(l onnx.Layer, x *Node) int {
	if l.Positions > 0 {
		return l.Rows
	}
	return slices.Index(x.Shape().Dimensions[:x.Rank()-1], f.rows)
}

// alongRows gives latents [rows, channels] the rank of x, whose last axis is the channels'.
func alongRows(latents, x *Node, axis int) *Node {
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[axis], shape[x.Rank()-1] = latents.Shape().Dim(0), latents.Shape().Dim(1)
	return Reshape(latents, shape...)
}

// positions keeps the findings about a layer.
func (f *graphPass) positions(l onnx.Layer, axis int, h *Node, rows int) {
	f.traced[l.Name] = onnx.Traced{Rows: axis, Rank: h.Rank(),
		Positions: h.Shape().Size() / (rows * l.Out)}
}

// convolution computes a convolution of images, once for each image if they are the same for all
// samples.
func (f *graphPass) convolution(l onnx.Layer, z, s *Node) {
	n := l.Node
	x := f.channelsLast(n.Input[0])
	repeat := f.single && n.Input[0] == f.Input
	if repeat && z != nil {
		x, repeat = operation.RepeatRows(x, f.samples), false
	}
	h := f.convolve(n, scaleChannels(x, z), l.In)
	if len(n.Input) > 2 && n.Input[2] != "" {
		h = Add(h, Reshape(f.value(n.Input[2]), 1, 1, 1, -1))
	}
	f.positions(l, 0, h, h.Shape().Dim(0))
	if repeat {
		h = operation.RepeatRows(h, f.samples)
	}
	f.last[n.Output[0]] = f.show(l.Name, scaleChannels(h, s))
}

// convolve returns W x for images x [rows, height, width, in].
func (f *graphPass) convolve(n *protos.NodeProto, x *Node, in int) *Node {
	if n.OpType == "ConvTranspose" {
		return convolveTransposed(n, x, f.value(n.Input[1]))
	}
	w, groups := kernelOf(f.value(n.Input[1])), int(onnx.Int(n, "group", 1))
	strides, dilations := pairOf(n, "strides", 1), pairOf(n, "dilations", 1)
	paddings := padsOf(n, x, w.Shape().Dimensions, strides, dilations)
	if groups == in && w.Shape().Dim(3) == in && in > 1 && slices.Max(dilations) == 1 {
		return operation.Depthwise(x, w, paddings, strides)
	}
	w, paddings = oddKernel(w, paddings, dilations)
	return Convolve(x, w).PaddingPerDim(paddings).StridePerAxis(strides...).
		DilationPerAxis(dilations...).ChannelGroupCount(groups).Done()
}

// kernelOf returns a kernel [out, in / groups, height, width] as [height, width, in / groups, out],
// by transpositions that are quick on the pure-Go engine.
func kernelOf(w *Node) *Node {
	d := w.Shape().Dimensions
	w = TransposeAllDims(Reshape(w, d[0], -1), 1, 0)
	if places := d[2] * d[3]; d[1] > 1 && places > 1 {
		w = TransposeAllDims(Reshape(w, d[1], places, d[0]), 1, 0, 2)
	}
	return Reshape(w, d[2], d[3], d[1], d[0])
}

// padsOf returns the padding of windows of a height and a width, before and behind each.
func padsOf(n *protos.NodeProto, x *Node, window, strides, dilations []int) [][2]int {
	pads, how := onnx.Ints(n, "pads"), onnx.Text(n, "auto_pad")
	if pads == nil || how != "" {
		pads = make([]int, 4)
	}
	pairs := [][2]int{{pads[0], pads[2]}, {pads[1], pads[3]}}
	if how != "SAME_UPPER" && how != "SAME_LOWER" {
		return pairs
	}
	for axis := range pairs { // as many outputs as steps in the input
		stride, side := strides[axis], x.Shape().Dim(1+axis)
		reach := (window[axis] - 1) * dilations[axis]
		all := max(0, (side-1)/stride*stride+reach+1-side)
		if pairs[axis] = [2]int{all / 2, all - all/2}; how == "SAME_LOWER" {
			pairs[axis] = [2]int{all - all/2, all / 2}
		}
	}
	return pairs
}

// normaliseFeatures normalises each row of features by its own mean and variance.
func (f *graphPass) normaliseFeatures(n *protos.NodeProto) {
	x := f.value(n.Input[0])
	if axis := int(onnx.Int(n, "axis", -1)); axis != -1 && axis != x.Rank()-1 || len(n.Output) > 1 {
		return
	}
	x = Sub(x, ReduceAndKeep(x, ReduceMean, -1))
	variance := ReduceAndKeep(Square(x), ReduceMean, -1)
	y := Div(x, Sqrt(AddScalar(variance, onnx.Float(n, "epsilon", 1e-5))))
	y = Mul(y, ExpandLeftToRank(f.value(n.Input[1]), y.Rank()))
	if len(n.Input) > 2 && n.Input[2] != "" {
		y = Add(y, ExpandLeftToRank(f.value(n.Input[2]), y.Rank()))
	}
	f.values[n.Output[0]] = y
}

// between computes a value by the nodes that lead to it from values that are known, and keeps what
// others of its nodes compute for nodes elsewhere. Integers, which are shapes and places, are
// computed again wherever they're needed, so that they are constants.
func (f *graphPass) between(target string) {
	inside, known := map[int]bool{}, map[string]*Node{}
	f.collect(target, inside, known)
	part := &protos.GraphProto{Name: "part"}
	for i, n := range f.Nodes {
		if inside[i] {
			part.Node = append(part.Node, n)
		}
	}
	names := []string{target}
	for i := range inside {
		for _, name := range f.Nodes[i].Output {
			needed := slices.ContainsFunc(f.users[name], func(user int) bool {
				return !inside[user]
			})
			if (needed || name == f.Output) && name != target && f.Nodes[i].OpType != "Constant" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for name, x := range known {
		part.Input = append(part.Input, valueInfo(name, x))
	}
	slices.SortFunc(part.Input, func(a, b *protos.ValueInfoProto) int {
		return slices.Compare([]byte(a.Name), []byte(b.Name))
	})
	at := f.at
	f.at = f.maker(target)
	for i, x := range f.call(part, known, names) {
		if x != nil && x.DType().IsFloat() {
			f.values[names[i]] = x
		}
	}
	f.at = at
	if f.values[target] == nil {
		panic(fmt.Sprintf("%q isn't a floating-point value", target))
	}
}

// collect finds the nodes that lead to a value, and the known values where they begin.
func (f *graphPass) collect(name string, inside map[int]bool, known map[string]*Node) {
	if name == "" || known[name] != nil {
		return
	}
	if f.values[name] != nil || f.last[name] != nil || f.Variables[name] != nil {
		known[name] = f.value(name)
		return
	}
	i, is := f.makers[name]
	if !is || inside[i] {
		return
	}
	inside[i] = true
	for _, input := range f.Nodes[i].Input {
		f.collect(input, inside, known)
	}
}

// call computes values of a part of the graph.
func (f *graphPass) call(part *protos.GraphProto, known map[string]*Node, names []string) []*Node {
	data, err := proto.Marshal(&protos.ModelProto{IrVersion: 8, OpsetImport: f.Opset(),
		Graph: part})
	if err != nil {
		panic(err)
	}
	m, err := parser.Parse(data)
	if err != nil {
		panic(err)
	}
	m.DisableFusion() // for gradients
	return m.CallGraph(nil, f.graph, known, names...)
}

// valueInfo describes an input of a part.
func valueInfo(name string, x *Node) *protos.ValueInfoProto {
	kind := protos.TensorProto_FLOAT
	if x.DType() == dtypes.Float64 {
		kind = protos.TensorProto_DOUBLE
	}
	var dims []any
	for _, n := range x.Shape().Dimensions {
		dims = append(dims, n)
	}
	return onnx.Value(name, kind, dims...)
}
