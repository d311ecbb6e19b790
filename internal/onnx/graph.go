package onnx

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Graph holds the operations of a network in an order of computation. Its weights are initializers
// without values; constant nodes hold all other values.
type Graph struct {
	Nodes     []*protos.NodeProto
	Variables map[string]*Variable
	Layers    []Layer  // nodes that may have latents, in the order of the nodes
	Without   []string // nodes with a product that can't have latents, and why

	Input, Output string // names of the image and of the logits
	Height, Width int    // of the image
	ChannelsLast  bool   // the image is [batch, height, width, 3], not [batch, 3, height, width]
	Classes       int

	proto *protos.ModelProto
}

// Variable is an array of weights, or of the statistics of a batch normalisation.
type Variable struct {
	Name    string
	Shape   []int
	Running bool
}

// Layer is a convolution or a product with a constant matrix.
type Layer struct {
	Name    string // with slashes between its parts, as in layer1/0/conv1
	Node    *protos.NodeProto
	Weight  *Variable
	In, Out int // channels or features
	Kernel  int // side of the kernel of a convolution, or 0
	Traced
}

// Traced describes a layer once its network is built for some rows, one for each image.
type Traced struct {
	// the axis of its output along which the rows are; -1 if there is none
	Rows      int `json:"rows"`
	Rank      int `json:"rank"`      // of its output
	Positions int `json:"positions"` // places of a row at which it computes its channels
}

// Bytes returns the graph as a model of the ONNX format. Load reads it.
func (g *Graph) Bytes() ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(g.proto)
}

// Digest returns hexadecimal digits of a checksum of the graph.
func Digest(graph []byte) string {
	sum := sha256.Sum256(graph)
	return hex.EncodeToString(sum[:6])
}

// Load reads the bytes of a graph, with the checks of Read.
func Load(data []byte) (*Graph, error) {
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("onnx: a graph %w", err)
	}
	s := newSimplifier(m)
	if err := cmp.Or(s.checkModel(m), s.checkOrder()); err != nil {
		return nil, fmt.Errorf("onnx: a graph %w", err)
	}
	g, err := newGraph(m)
	if err != nil {
		return nil, fmt.Errorf("onnx: a graph %w", err)
	}
	return g, nil
}

// Property returns an entry of the graph's metadata, or "".
func (g *Graph) Property(key string) string { return property(g.proto.MetadataProps, key) }

func property(all []*protos.StringStringEntryProto, key string) string {
	for _, entry := range all {
		if entry.Key == key {
			return entry.Value
		}
	}
	return ""
}

// SetProperty adds an entry to the graph's metadata, which changes its digest.
func (g *Graph) SetProperty(key, value string) {
	g.proto.MetadataProps = append(g.proto.MetadataProps, &protos.StringStringEntryProto{Key: key,
		Value: value})
}

// Opset returns the imported versions of the operations.
func (g *Graph) Opset() []*protos.OperatorSetIdProto { return g.proto.OpsetImport }

// Version returns the version of the operations of ONNX itself.
func (g *Graph) Version() int64 {
	for _, set := range g.proto.OpsetImport {
		if set.Domain == "" || set.Domain == "ai.onnx" {
			return set.Version
		}
	}
	return 1
}

// newGraph finds the input, the output and the layers of a simplified model.
func newGraph(m *protos.ModelProto) (*Graph, error) {
	g := &Graph{Nodes: m.Graph.Node, Variables: map[string]*Variable{}, proto: m}
	if err := checkTensors(m.Graph); err != nil {
		return nil, err
	}
	for _, t := range m.Graph.Initializer {
		v := &Variable{Name: t.Name, Running: t.DocString == runningMark}
		for _, n := range t.Dims {
			v.Shape = append(v.Shape, int(n))
		}
		g.Variables[t.Name] = v
	}
	if err := g.findEnds(); err != nil {
		return nil, err
	}
	g.findLayers()
	if traced := g.Property(tracedKey); traced != "" {
		if err := g.setTraced(traced); err != nil {
			return nil, err
		}
	}
	if len(g.Layers) == 0 {
		return nil, fmt.Errorf("has no convolution and no product with constant weights: export " +
			"a trained network")
	}
	return g, nil
}

// tracedKey is the property with what Trace found, as JSON.
const tracedKey = "layers"

// Trace adds the traced layers and the number of logits to the graph. One without rows is no layer.
func (g *Graph) Trace(layers []Traced, classes int) error {
	if g.Classes != classes {
		g.setOutput(g.Output, classes)
	}
	text, err := json.Marshal(layers)
	if err != nil {
		return err
	}
	g.SetProperty(tracedKey, string(text))
	return g.setTraced(string(text))
}

func (g *Graph) setTraced(text string) error {
	var traced []Traced
	if err := json.Unmarshal([]byte(text), &traced); err != nil || len(traced) != len(g.Layers) {
		return fmt.Errorf("has other layers than its metadata say: it's damaged, import the " +
			"network again")
	}
	var kept []Layer
	for i, l := range g.Layers {
		if l.Traced = traced[i]; l.Rows < 0 {
			g.Without = append(g.Without, fmt.Sprintf("%s (%s: its rows aren't images)", l.Name,
				l.Node.OpType))
			continue
		}
		kept = append(kept, l)
	}
	g.Layers = kept
	return nil
}

// Choose makes some of a traced graph's outputs, in their order, the only ones.
func (g *Graph) Choose(outputs []int) error {
	indices := &protos.TensorProto{DataType: int32(protos.TensorProto_INT64),
		Dims: []int64{int64(len(outputs))}}
	for i, output := range outputs {
		if output < 0 || output >= g.Classes || slices.Contains(outputs[:i], output) {
			return fmt.Errorf("onnx: output %d is class %d: give each class one output, "+
				"0 to %d", output, i, g.Classes-1)
		}
		indices.Int64Data = append(indices.Int64Data, int64(output))
	}
	taken := map[string]bool{g.Input: true}
	for name := range g.Variables {
		taken[name] = true
	}
	for _, n := range g.Nodes {
		for _, name := range n.Output {
			taken[name] = true
		}
	}
	places, chosen := unique(taken, g.Output+" of classes"), unique(taken, g.Output+" chosen")
	g.Nodes = append(g.Nodes, constantNode(places, indices), &protos.NodeProto{OpType: "Gather",
		Input: []string{g.Output, places}, Output: []string{chosen},
		Attribute: []*protos.AttributeProto{AttributeOf("axis", 1)}})
	g.proto.Graph.Node = g.Nodes
	g.setOutput(chosen, len(outputs))
	return nil
}

// setOutput makes a value [batch, classes] the logits.
func (g *Graph) setOutput(name string, classes int) {
	g.Output, g.Classes = name, classes
	g.proto.Graph.Output = []*protos.ValueInfoProto{Value(name, protos.TensorProto_FLOAT, "batch",
		classes)}
}

// runningMark is the text of initializers that are statistics of a batch normalisation.
const runningMark = "running"

// findEnds checks the image and the logits.
func (g *Graph) findEnds() error {
	in, out := g.proto.Graph.Input, g.proto.Graph.Output
	if len(in) != 1 {
		return fmt.Errorf("has the inputs %s: export a network that takes only images",
			namesOf(in))
	}
	if len(out) != 1 {
		return fmt.Errorf("has the outputs %s: export the network with only its logits",
			namesOf(out))
	}
	g.Input, g.Output = in[0].Name, out[0].Name
	shape := dimensionsOf(in[0])
	switch {
	case len(shape) == 4 && shape[1] == 3:
		g.Height, g.Width = shape[2], shape[3]
	case len(shape) == 4 && shape[3] == 3:
		g.Height, g.Width, g.ChannelsLast = shape[1], shape[2], true
	default:
		return fmt.Errorf("takes %q of shape %v, want RGB images [batch, 3, height, width] or "+
			"[batch, height, width, 3]", g.Input, shape)
	}
	if g.Height < 1 || g.Width < 1 || g.Height > 4096 || g.Width > 4096 {
		return fmt.Errorf("takes images of a free or unusable size, %v: export it for one size, "+
			"with no dynamic axis but the batch", shape)
	}
	if kind := in[0].Type.GetTensorType().GetElemType(); kind != int32(protos.TensorProto_FLOAT) {
		return fmt.Errorf("takes images of type %s: export it for float32",
			protos.TensorProto_DataType(kind))
	}
	shape = dimensionsOf(out[0])
	if len(shape) != 2 || shape[1] == 1 {
		return fmt.Errorf("returns %q of shape %v, want a logit for each class, [batch, classes]",
			g.Output, shape)
	}
	g.Classes = shape[1]
	return nil
}

// dimensionsOf returns the dimensions of a value; 0 for one that is free.
func dimensionsOf(v *protos.ValueInfoProto) (shape []int) {
	for _, d := range v.GetType().GetTensorType().GetShape().GetDim() {
		shape = append(shape, int(d.GetDimValue()))
	}
	return shape
}

func namesOf(values []*protos.ValueInfoProto) string {
	return strings.Join(quantity.Texts(values, func(v *protos.ValueInfoProto) string {
		return strconv.Quote(v.Name)
	}), " and ")
}

// products are the operations that multiply by weights.
var products = strings.Fields("Conv Gemm MatMul ConvTranspose LSTM GRU RNN Einsum")

// findLayers lists the nodes that latents can multiply.
func (g *Graph) findLayers() {
	taken := map[string]bool{}
	for _, n := range g.Nodes {
		if !slices.Contains(products, n.OpType) {
			continue
		}
		l, why := g.layerOf(n)
		if why != "" {
			g.Without = append(g.Without, fmt.Sprintf("%s (%s: %s)", cleanName(n.Name), n.OpType,
				why))
			continue
		}
		l.Name = unique(taken, layerName(n, l.Weight))
		g.Layers = append(g.Layers, l)
	}
}

// layerOf returns the layer of a node, or why it's none.
func (g *Graph) layerOf(n *protos.NodeProto) (l Layer, why string) {
	l = Layer{Node: n}
	if len(n.Input) < 2 || !slices.Contains([]string{"Conv", "ConvTranspose", "Gemm", "MatMul"},
		n.OpType) {
		return l, "latents aren't defined for it"
	}
	l.Weight = g.Variables[n.Input[1]]
	if l.Weight == nil || g.Variables[n.Input[0]] != nil {
		return l, "its second factor isn't constant"
	}
	shape := l.Weight.Shape
	switch {
	case strings.HasPrefix(n.OpType, "Conv") && len(shape) == 4:
		l.Out, l.In, l.Kernel = shape[0], shape[1]*int(Int(n, "group", 1)), max(shape[2], shape[3])
		if n.OpType == "ConvTranspose" {
			l.In, l.Out = l.Out, l.In
		}
	case n.OpType == "Gemm" && len(shape) == 2 && Int(n, "transA", 0) == 0:
		l.In, l.Out = shape[0], shape[1]
		if Int(n, "transB", 0) != 0 {
			l.In, l.Out = l.Out, l.In
		}
	case n.OpType == "MatMul" && len(shape) == 2:
		l.In, l.Out = shape[0], shape[1]
	default:
		return l, fmt.Sprintf("its weights have the shape %v", shape)
	}
	return l, ""
}

// attribute returns an attribute of a node; nil if it has none.
func attribute(n *protos.NodeProto, name string) *protos.AttributeProto {
	for _, a := range n.Attribute {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Int returns an attribute, or without.
func Int(n *protos.NodeProto, name string, without int64) int64 {
	if a := attribute(n, name); a != nil {
		return a.I
	}
	return without
}

// Ints returns an attribute of a node; nil if it has none.
func Ints(n *protos.NodeProto, name string) (values []int) {
	for _, i := range attribute(n, name).GetInts() {
		values = append(values, int(i))
	}
	return values
}

// Integers returns the numbers of a constant node; nil of another node, or of none.
func Integers(n *protos.NodeProto) []int { return integers(constant(n)) }

func integers(t *protos.TensorProto) (values []int) {
	for _, i := range t.GetInt64Data() {
		values = append(values, int(i))
	}
	for raw := t.GetRawData(); t.GetDataType() == int32(protos.TensorProto_INT64) &&
		len(raw) >= 8; raw = raw[8:] {
		values = append(values, int(int64(binary.LittleEndian.Uint64(raw))))
	}
	return values
}

// float32s returns the numbers of a float32 tensor; nil of another, or of none.
func float32s(t *protos.TensorProto) []float32 {
	if t.GetDataType() != int32(protos.TensorProto_FLOAT) || len(t.RawData) == 0 {
		return t.GetFloatData()
	}
	return safetensors.Tensor{Data: t.RawData, DType: "F32"}.Floats()
}

// Text returns an attribute of a node, or "".
func Text(n *protos.NodeProto, name string) string { return string(attribute(n, name).GetS()) }

// Float returns an attribute, or without.
func Float(n *protos.NodeProto, name string, without float64) float64 {
	if a := attribute(n, name); a != nil {
		return float64(a.F)
	}
	return without
}

// layerName returns the name of a layer's weights if it identifies the layer, otherwise its node's.
func layerName(n *protos.NodeProto, weight *Variable) string {
	if name, found := strings.CutSuffix(weight.Name, "/weight"); found {
		return name
	}
	return cleanName(strings.TrimSuffix(n.Name, "/"+n.OpType))
}

// cleanName returns a name as the parts of variables have it: letters, digits, underscores and
// slashes.
func cleanName(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("./:\\", r) })
	for i, part := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '_'
		}, part)
	}
	if len(parts) == 0 {
		return "unnamed"
	}
	return strings.Join(parts, "/")
}

// unique returns a name with a number if it's taken.
func unique(taken map[string]bool, name string) string {
	other := name
	for k := 2; taken[other]; k++ {
		other = fmt.Sprintf("%s_%d", name, k)
	}
	taken[other] = true
	return other
}
