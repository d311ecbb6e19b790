// Package onnxtest writes small networks in the ONNX format for tests.
package onnxtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Builder adds nodes to a network with random weights.
type Builder struct {
	Model  *protos.ModelProto
	random *rand.Rand
	count  int
}

// New returns a network that takes "input" [batch, 3, side, side].
func New(side int64) *Builder {
	b := &Builder{random: rand.New(rand.NewPCG(3, 4))}
	b.Model = &protos.ModelProto{IrVersion: 8, OpsetImport: []*protos.OperatorSetIdProto{
		{Version: 17}}, Graph: &protos.GraphProto{Name: "tiny"}}
	b.Model.Graph.Input = []*protos.ValueInfoProto{Value("input", -1, 3, side, side)}
	return b
}

// Value describes an input or output of numbers; dimensions below 1 are free.
func Value(name string, dims ...int64) *protos.ValueInfoProto {
	var shape []any
	for _, n := range dims {
		if n < 1 {
			shape = append(shape, "batch")
		} else {
			shape = append(shape, int(n))
		}
	}
	return onnx.Value(name, protos.TensorProto_FLOAT, shape...)
}

// Ints and Int are attributes.
func Ints(name string, values ...int64) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_INTS, Ints: values}
}

// Int is an attribute of one number.
func Int(name string, value int64) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_INT, I: value}
}

// Text is an attribute of letters.
func Text(name, value string) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_STRING, S: []byte(value)}
}

// Weight adds an initializer of normal values with a standard deviation around a mean, and returns
// its name.
func (b *Builder) Weight(name string, mean, std float64, dims ...int64) string {
	t := &protos.TensorProto{Name: name, Dims: dims, DataType: int32(protos.TensorProto_FLOAT)}
	size := int64(1)
	for _, n := range dims {
		size *= n
	}
	for range size {
		value := mean
		if std > 0 { // equal numbers leave those of later weights as they are
			value += std * b.random.NormFloat64()
		}
		t.FloatData = append(t.FloatData, float32(value))
	}
	b.Model.Graph.Initializer = append(b.Model.Graph.Initializer, t)
	return name
}

// Whole adds an initializer of integers.
func (b *Builder) Whole(name string, values ...int64) string {
	b.Model.Graph.Initializer = append(b.Model.Graph.Initializer, &protos.TensorProto{
		Name: name, Dims: []int64{int64(len(values))}, DataType: int32(protos.TensorProto_INT64),
		Int64Data: values,
	})
	return name
}

// Node adds an operation and returns the name of its output.
func (b *Builder) Node(op string, inputs []string, attributes ...*protos.AttributeProto) string {
	b.count++
	n := &protos.NodeProto{OpType: op, Name: fmt.Sprintf("/%s_%d", op, b.count), Input: inputs,
		Output: []string{fmt.Sprintf("value%d", b.count)}, Attribute: attributes}
	b.Model.Graph.Node = append(b.Model.Graph.Node, n)
	return n.Output[0]
}

// Conv adds a convolution with a bias that keeps the size.
func (b *Builder) Conv(x, name string, in, out, kernel, groups int64) string {
	std := math.Sqrt(2 / float64(in/groups*kernel*kernel))
	return b.Node("Conv", []string{x, b.Weight(name+".weight", 0, std, out, in/groups, kernel,
		kernel), b.Weight(name+".bias", 0, 0.1, out)},
		Ints("kernel_shape", kernel, kernel), Ints("pads", kernel/2, kernel/2, kernel/2, kernel/2),
		Ints("dilations", 1, 1), Int("group", groups))
}

// End adds a dense layer whose output is "logits".
func (b *Builder) End(x string, features, classes int64) *protos.ModelProto {
	b.Node("Gemm", []string{x, b.Weight("head.weight", 0, 1, classes, features),
		b.Weight("head.bias", 0, 0.5, classes)}, Int("transB", 1))
	nodes := b.Model.Graph.Node
	nodes[len(nodes)-1].Output[0] = "logits"
	b.Model.Graph.Output = []*protos.ValueInfoProto{Value("logits", -1, classes)}
	return b.Model
}

// Convolutional is a network of convolutions, one of them depthwise, with batch normalisation, a
// pool, squeeze and excitation, and a residual sum.
func Convolutional(side, classes int64) *protos.ModelProto {
	b := New(side)
	x := b.Conv("input", "stem", 3, 6, 3, 1)
	x = b.Node("BatchNormalization", []string{x, b.Weight("bn.weight", 1, 0.1, 6),
		b.Weight("bn.bias", 0, 0.1, 6), b.Weight("bn.mean", 0, 0.1, 6),
		b.Weight("bn.var", 2, 0.1, 6)})
	x = b.Node("Relu", []string{x})
	x = b.Node("MaxPool", []string{x}, Ints("kernel_shape", 2, 2), Ints("strides", 2, 2),
		Ints("dilations", 1, 1), Int("ceil_mode", 0))
	y := b.Node("HardSwish", []string{b.Conv(x, "depthwise", 6, 6, 3, 6)})
	s := b.Node("GlobalAveragePool", []string{y})
	s = b.Node("HardSigmoid", []string{b.Conv(s, "excite", 6, 6, 1, 1)})
	y = b.Node("Mul", []string{y, s})
	x = b.Node("Add", []string{x, b.Conv(y, "project", 6, 6, 1, 1)})
	x = b.Node("Flatten", []string{b.Node("GlobalAveragePool", []string{x})}, Int("axis", 1))
	return b.End(x, 6, classes)
}

// Tokens is a network of patches with layer normalisation and products, whose output is a softmax.
func Tokens(side, classes int64) *protos.ModelProto {
	b := New(side)
	x := b.Node("Conv", []string{"input", b.Weight("patches.weight", 0, 0.2, 8, 3, 4, 4)},
		Ints("kernel_shape", 4, 4), Ints("strides", 4, 4))
	shape := b.Node("Concat",
		[]string{b.Node("Gather", []string{b.Node("Shape", []string{x}), b.Whole("zero", 0)}),
			b.Whole("rest", 8, -1)}, Int("axis", 0))
	x = b.Node("Transpose", []string{b.Node("Reshape", []string{x, shape})}, Ints("perm", 0, 2, 1))
	y := b.Node("LayerNormalization", []string{x, b.Weight("norm.weight", 1, 0.1, 8),
		b.Weight("norm.bias", 0, 0.1, 8)}, Int("axis", -1))
	y = b.Node("Add",
		[]string{b.Node("MatMul", []string{y, b.Weight("grow.weight", 0, 0.3, 8, 12)}),
			b.Weight("grow.bias", 0, 0.1, 12)})
	y = b.Node("MatMul", []string{b.Node("Tanh", []string{y}), b.Weight("shrink.weight", 0, 0.3, 12,
		8)})
	x = b.Node("ReduceMean", []string{b.Node("Add", []string{x, y})}, Ints("axes", 1),
		Int("keepdims", 0))
	m := b.End(x, 8, classes)
	b.Node("Softmax", []string{"logits"})
	m.Graph.Output[0].Name = m.Graph.Node[len(m.Graph.Node)-1].Output[0]
	return m
}

// Save writes a network.
func Save(t testing.TB, path string, m *protos.ModelProto) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, testkit.Must(proto.Marshal(m))(t), 0o644))
}
