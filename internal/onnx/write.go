package onnx

import (
	"fmt"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"
)

// Writer builds a network in the ONNX format, node by node.
type Writer struct {
	graph *protos.GraphProto
	count int
}

// writtenOpset is the opset of a Writer's networks, which any runtime of the last years reads.
const writtenOpset = 17

// NewWriter returns a network without nodes.
func NewWriter() *Writer { return &Writer{graph: &protos.GraphProto{Name: "network"}} }

// Node adds an operation and returns the name of its output.
func (w *Writer) Node(op string, inputs []string, attributes ...*protos.AttributeProto) string {
	w.count++
	name := fmt.Sprintf("%s_%d", op, w.count)
	w.graph.Node = append(w.graph.Node, &protos.NodeProto{OpType: op, Name: name, Input: inputs,
		Output: []string{name}, Attribute: attributes})
	return name
}

// Add adds a node unchanged.
func (w *Writer) Add(n *protos.NodeProto) { w.graph.Node = append(w.graph.Node, n) }

// Last returns the name of the output of the last node.
func (w *Writer) Last() string { return w.graph.Node[len(w.graph.Node)-1].Output[0] }

// Rename gives the output of the last node a name.
func (w *Writer) Rename(name string) string {
	last := w.graph.Node[len(w.graph.Node)-1]
	last.Output[0] = name
	return name
}

// Floats adds constant numbers, in little-endian bytes, and returns their name.
func (w *Writer) Floats(name string, data []byte, shape ...int) string {
	t := &protos.TensorProto{Name: name, DataType: int32(protos.TensorProto_FLOAT), RawData: data}
	for _, n := range shape {
		t.Dims = append(t.Dims, int64(n))
	}
	w.graph.Initializer = append(w.graph.Initializer, t)
	return name
}

// Whole adds constant integers and returns their name.
func (w *Writer) Whole(values ...int64) string {
	w.count++
	t := &protos.TensorProto{Name: fmt.Sprintf("whole_%d", w.count),
		DataType: int32(protos.TensorProto_INT64), Int64Data: values,
		Dims: []int64{int64(len(values))}}
	w.graph.Initializer = append(w.graph.Initializer, t)
	return t.Name
}

// Input adds an input of a type; dimensions that are texts are free, and equal if the texts are.
func (w *Writer) Input(name string, kind protos.TensorProto_DataType, shape ...any) string {
	w.graph.Input = append(w.graph.Input, Value(name, kind, shape...))
	return name
}

// Output makes a value of numbers an output.
func (w *Writer) Output(name string, shape ...any) {
	w.graph.Output = append(w.graph.Output, Value(name, protos.TensorProto_FLOAT, shape...))
}

// Value describes a value of a type; dimensions that are texts are free.
func Value(name string, kind protos.TensorProto_DataType, dims ...any) *protos.ValueInfoProto {
	shape := &protos.TensorShapeProto{}
	for _, dim := range dims {
		d := &protos.TensorShapeProto_Dimension{}
		switch n := dim.(type) {
		case int:
			d.Value = &protos.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}
		case string:
			d.Value = &protos.TensorShapeProto_Dimension_DimParam{DimParam: n}
		}
		shape.Dim = append(shape.Dim, d)
	}
	return &protos.ValueInfoProto{Name: name, Type: &protos.TypeProto{
		Value: &protos.TypeProto_TensorType{
			TensorType: &protos.TypeProto_Tensor{ElemType: int32(kind), Shape: shape},
		}}}
}

// Bytes returns the file, with metadata in the order of pairs of keys and values.
func (w *Writer) Bytes(opset []*protos.OperatorSetIdProto, metadata ...[2]string) ([]byte, error) {
	if opset == nil {
		opset = []*protos.OperatorSetIdProto{{Version: writtenOpset}}
	}
	m := &protos.ModelProto{IrVersion: 8, ProducerName: "nbbnn", OpsetImport: opset, Graph: w.graph}
	for _, pair := range metadata {
		m.MetadataProps = append(m.MetadataProps, &protos.StringStringEntryProto{Key: pair[0],
			Value: pair[1]})
	}
	if size := proto.Size(m); size > mostBytes {
		return nil, fmt.Errorf("onnx: the network has %d bytes, and a file in the ONNX format up "+
			"to 2 GB: export it as safetensors", size)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// AttributeOf returns an attribute of a number, of numbers, or of a real number.
func AttributeOf(name string, value any) *protos.AttributeProto {
	a := &protos.AttributeProto{Name: name}
	switch v := value.(type) {
	case int:
		a.Type, a.I = protos.AttributeProto_INT, int64(v)
	case []int:
		a.Type = protos.AttributeProto_INTS
		for _, n := range v {
			a.Ints = append(a.Ints, int64(n))
		}
	case float64:
		a.Type, a.F = protos.AttributeProto_FLOAT, float32(v)
	}
	return a
}
