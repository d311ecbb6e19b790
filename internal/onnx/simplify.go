package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// simplify checks a model and parts its weights from its graph: it resolves what changes nothing in
// predictions, gives weights the names of variables, and makes constants of all other values.
func simplify(m *protos.ModelProto) (*Graph, []safetensors.Tensor, error) {
	s := newSimplifier(m)
	if err := s.checkModel(m); err != nil {
		return nil, nil, err
	}
	s.collect()
	if err := s.checkOrder(); err != nil {
		return nil, nil, err
	}
	s.dropSoftmax()
	s.keepUsed()
	weights, err := s.part()
	if err != nil {
		return nil, nil, err
	}
	g, err := newGraph(&protos.ModelProto{IrVersion: 8, OpsetImport: m.OpsetImport,
		Graph: &protos.GraphProto{
			Name: "network", Node: s.g.Node, Initializer: s.g.Initializer, Input: s.g.Input,
			Output: s.g.Output,
		}})
	if err == nil && s.training != nil {
		g.SetProperty(TrainingKey, quantity.List(s.training, 3))
	}
	return g, weights, err
}

// TrainingKey is the property of a graph that was exported in training mode: the nodes that say so,
// which predict here as after the training.
const TrainingKey = "training"

// trains reports whether a node computes as in a training: with the statistics of a batch, or with
// some of its input dropped.
func (s *simplifier) trains(n *protos.NodeProto) bool {
	if n.OpType != "Dropout" || len(n.Input) < 3 {
		return n.OpType == "BatchNormalization" && Int(n, "training_mode", 0) != 0
	}
	mode := s.tensors[n.Input[2]]
	return mode != nil && slices.Max(append([]byte{0}, mode.RawData...)) > 0 ||
		slices.Max(append([]int32{0}, mode.GetInt32Data()...)) > 0
}

// simplifier is a graph that is being simplified.
type simplifier struct {
	g       *protos.GraphProto
	alias   map[string]string // values that are other values
	tensors map[string]*protos.TensorProto

	training []string // nodes that compute as in a training
}

func newSimplifier(m *protos.ModelProto) *simplifier {
	s := &simplifier{g: m.Graph, alias: map[string]string{},
		tensors: map[string]*protos.TensorProto{}}
	for _, t := range s.g.Initializer {
		s.tensors[t.Name] = t
	}
	return s
}

// leastInputs are the numbers of inputs of operations that are computed here.
var leastInputs = map[string]int{"Conv": 2, "Gemm": 2, "MatMul": 2, "Add": 2, "Mul": 2,
	"BatchNormalization": 5, "LayerNormalization": 2, "InstanceNormalization": 3,
	"GroupNormalization": 3, "ConvTranspose": 2, "Reshape": 2, "Resize": 3}

var (
	// quantised operations aren't computed
	quantised = strings.Fields("QLinearConv QLinearMatMul ConvInteger MatMulInteger " +
		"DequantizeLinear DynamicQuantizeLinear")
	// withConstants are the operations whose floating-point inputs aren't weights
	withConstants = strings.Fields("Resize Upsample Pad Clip Range ConstantOfShape Cast Pow")
)

// checkModel refuses what can't be computed.
func (s *simplifier) checkModel(m *protos.ModelProto) error {
	for _, set := range m.OpsetImport {
		if (set.Domain == "" || set.Domain == "ai.onnx") && (set.Version < firstOpset ||
			set.Version > lastOpset) {
			return fmt.Errorf("has opset %d, want %d to %d: export it with opset_version=17",
				set.Version, firstOpset, lastOpset)
		}
	}
	if len(s.tensors) < len(s.g.Initializer) {
		return fmt.Errorf("has two weights of one name: it's damaged, export the network again")
	}
	if len(m.Functions) > 0 || len(s.g.SparseInitializer) > 0 {
		return fmt.Errorf("has functions or sparse weights: export the network without them")
	}
	for _, n := range s.g.Node {
		if len(n.Output) == 0 || len(n.Input) < leastInputs[n.OpType] {
			return fmt.Errorf("has the node %q without an output or an input that a %.40q has: "+
				"it's damaged, export the network again", n.Name, n.OpType)
		}
		for _, a := range n.Attribute {
			if a.G != nil || len(a.Graphs) > 0 {
				return fmt.Errorf("has the control flow %s at node %q: export the network "+
					"without it, by torch.onnx.export of fixed shapes", n.OpType, n.Name)
			}
		}
		if slices.Contains(quantised, n.OpType) {
			return fmt.Errorf("is quantised, with %s at node %q: give the network as it was "+
				"before, in float32", n.OpType, n.Name)
		}
	}
	return nil
}

// collect takes weights from constant nodes, resolves nodes that copy a value, drops attributes
// that have ONNX's default value and weights that are listed as inputs.
func (s *simplifier) collect() {
	var nodes []*protos.NodeProto
	for _, n := range s.g.Node {
		n.DocString, n.MetadataProps = "", nil
		for len(n.Input) > 0 && n.Input[len(n.Input)-1] == "" {
			n.Input = n.Input[:len(n.Input)-1]
		}
		for i, name := range n.Input {
			n.Input[i] = s.resolved(name)
		}
		if s.trains(n) {
			s.training = append(s.training, fmt.Sprintf("%s %q", n.OpType, n.Name))
		}
		switch value := constant(n); {
		case value != nil:
			value.Name = n.Output[0]
			s.tensors[value.Name] = value
			s.g.Initializer = append(s.g.Initializer, value)
			continue
		case (n.OpType == "Identity" || n.OpType == "Dropout") && len(n.Input) > 0:
			s.alias[n.Output[0]] = n.Input[0]
			continue
		}
		n.Attribute = slices.DeleteFunc(n.Attribute, isDefault)
		s.takeSettings(n)
		nodes = append(nodes, n)
	}
	s.g.Node = nodes
	s.g.Input = slices.DeleteFunc(s.g.Input, func(v *protos.ValueInfoProto) bool {
		return s.tensors[v.Name] != nil
	})
	for _, v := range s.g.Output {
		v.Name = s.resolved(v.Name)
	}
}

// settings are the inputs, from the second on, that were attributes before opset 13.
var settings = map[string][]string{"Clip": {"min", "max"}, "Split": {"split"}, "TopK": {"k"},
	"Pad": {"pads", "value"}, "Slice": {"starts", "ends", "axes"}}

// takeSettings makes inputs of a node's attributes that are settings.
func (s *simplifier) takeSettings(n *protos.NodeProto) {
	names := settings[n.OpType]
	for i, name := range names {
		a := attribute(n, name)
		if a == nil {
			continue
		}
		value := &protos.TensorProto{Name: n.Output[0] + "/" + name, FloatData: []float32{a.F},
			DataType: int32(protos.TensorProto_FLOAT)}
		if a.Type != protos.AttributeProto_FLOAT {
			whole := a.Ints
			if a.Type == protos.AttributeProto_INT {
				whole = []int64{a.I}
			}
			value.DataType, value.FloatData = int32(protos.TensorProto_INT64), nil
			value.Dims, value.Int64Data = []int64{int64(len(whole))}, whole
		}
		n.Input = append(n.Input, make([]string, max(0, 2+i-len(n.Input)))...)
		n.Input[1+i], s.tensors[value.Name] = value.Name, value
		s.g.Initializer = append(s.g.Initializer, value)
	}
	n.Attribute = slices.DeleteFunc(n.Attribute, func(a *protos.AttributeProto) bool {
		return slices.Contains(names, a.Name)
	})
}

// resolved returns the value of a name. A copy comes after its source, so one step is enough.
func (s *simplifier) resolved(name string) string { return cmp.Or(s.alias[name], name) }

// constant returns the value of a constant node, if it's a tensor.
func constant(n *protos.NodeProto) *protos.TensorProto {
	if n.GetOpType() != "Constant" {
		return nil
	}
	return attribute(n, "value").GetT()
}

// constantNode returns a node that computes a constant.
func constantNode(name string, value *protos.TensorProto) *protos.NodeProto {
	return &protos.NodeProto{OpType: "Constant", Output: []string{name},
		Attribute: []*protos.AttributeProto{
			{Name: "value", Type: protos.AttributeProto_TENSOR, T: value}}}
}

// isDefault reports whether an attribute has the value that it has without being there.
func isDefault(a *protos.AttributeProto) bool {
	switch a.Name {
	case "dilations":
		return !slices.ContainsFunc(a.Ints, func(i int64) bool { return i != 1 })
	case "ceil_mode", "storage_order", "count_include_pad", "layout":
		return a.I == 0
	case "auto_pad":
		return string(a.S) == "NOTSET"
	case "momentum", "training_mode", "spatial": // of the training; of old opsets
		return true
	}
	return false
}

// miscomputed returns what of a node would be computed otherwise than ONNX defines it, and what to
// do; "" if nothing is.
func miscomputed(n *protos.NodeProto, constants map[string]*protos.TensorProto) string {
	setting := func(i int) *protos.TensorProto {
		if i < len(n.Input) {
			return constants[n.Input[i]]
		}
		return nil
	}
	switch n.OpType {
	case "Slice":
		if slices.Min(append(integers(setting(4)), 1)) < 0 {
			return "goes backwards, as PyTorch's older exporter writes paddings: export the " +
				"network by dynamo=True"
		}
	case "Resize":
		how := cmp.Or(Text(n, "mode"), "nearest") + " " +
			cmp.Or(Text(n, "coordinate_transformation_mode"), "half_pixel")
		if how == "nearest asymmetric" && Text(n, "nearest_mode") != "floor" ||
			!slices.Contains(interpolations, how) || Int(n, "antialias", 0) != 0 {
			return "doesn't interpolate as nearest asymmetric with floor, or as linear: export " +
				"it with mode=\"nearest\" or \"bilinear\", without antialias"
		}
		if slices.ContainsFunc(float32s(setting(2)), func(scale float32) bool {
			return scale != float32(int(scale))
		}) {
			return "has a scale that isn't a whole number: give F.interpolate a size"
		}
	}
	return ""
}

// interpolations are the modes and the places of pixels that are computed.
var interpolations = []string{"nearest asymmetric", "linear half_pixel",
	"linear pytorch_half_pixel", "linear align_corners", "linear asymmetric"}

// checkOrder checks that every node comes after its inputs, and that none is miscomputed.
func (s *simplifier) checkOrder() error {
	known, constants := map[string]bool{"": true}, maps.Clone(s.tensors)
	for name := range constants {
		known[name] = true
	}
	for _, v := range s.g.Input {
		known[v.Name] = true
	}
	for _, n := range s.g.Node {
		if why := miscomputed(n, constants); why != "" {
			return fmt.Errorf("has the %s %q, which %s", n.OpType, n.Name, why)
		}
		for _, name := range n.Input {
			if !known[name] {
				return fmt.Errorf("has the node %q, which takes %q before anything computes it: "+
					"it's damaged, export the network again", n.Name, name)
			}
		}
		for _, name := range n.Output {
			if known[name] && name != "" {
				return fmt.Errorf("computes %q twice: it's damaged, export the network again", name)
			}
			known[name], constants[name] = true, constant(n)
		}
	}
	for _, v := range s.g.Output {
		if !known[v.Name] {
			return fmt.Errorf("doesn't compute its output %q: it's damaged, export the network "+
				"again", v.Name)
		}
	}
	return nil
}

// dropSoftmax takes the logits before a softmax at the end.
func (s *simplifier) dropSoftmax() {
	if len(s.g.Output) != 1 {
		return
	}
	for _, n := range s.g.Node {
		if n.Output[0] == s.g.Output[0].Name &&
			(n.OpType == "Softmax" || n.OpType == "LogSoftmax") {
			s.g.Output[0].Name = n.Input[0]
		}
	}
}

// keepUsed removes the nodes and weights that the outputs don't need.
func (s *simplifier) keepUsed() {
	used := map[string]bool{}
	for _, v := range s.g.Output {
		used[v.Name] = true
	}
	var nodes []*protos.NodeProto
	for _, n := range slices.Backward(s.g.Node) {
		if slices.ContainsFunc(n.Output, func(name string) bool { return used[name] }) {
			nodes = append(nodes, n)
			for _, name := range n.Input {
				used[name] = true
			}
		}
	}
	slices.Reverse(nodes)
	s.g.Node = nodes
	s.g.Initializer = slices.DeleteFunc(s.g.Initializer, func(t *protos.TensorProto) bool {
		return !used[t.Name]
	})
}

// part makes variables of the weights, whose values it returns, and constants of other
// initializers.
func (s *simplifier) part() (weights []safetensors.Tensor, err error) {
	running, fixed := map[string]bool{}, map[string]bool{}
	for _, n := range s.g.Node {
		for i, name := range n.Input {
			running[name] = running[name] || n.OpType == "BatchNormalization" && i >= 3
			fixed[name] = fixed[name] || slices.Contains(withConstants, n.OpType)
		}
	}
	var constants []*protos.NodeProto
	var variables []*protos.TensorProto
	taken, renamed := map[string]bool{}, map[string]string{}
	for _, t := range s.g.Initializer {
		size, err := bytesOf(t)
		if err != nil {
			return nil, err
		}
		kind := protos.TensorProto_DataType(t.DataType)
		if kind != protos.TensorProto_FLOAT && len(t.Dims) > 0 && size > 0 &&
			kind != protos.TensorProto_INT64 && kind != protos.TensorProto_INT32 &&
			kind != protos.TensorProto_BOOL {
			return nil, fmt.Errorf("has the weights %q of type %s: export the network in "+
				"float32, as by model.float()", t.Name, kind)
		}
		if kind != protos.TensorProto_FLOAT || len(t.Dims) == 0 || fixed[t.Name] {
			constants = append(constants, constantNode(t.Name, t))
			continue
		}
		name := unique(taken, cleanName(t.Name))
		renamed[t.Name] = name
		values, err := floats(t, name)
		if err != nil {
			return nil, err
		}
		weights = append(weights, values)
		v := &protos.TensorProto{Name: name, Dims: t.Dims, DataType: t.DataType}
		if running[t.Name] {
			v.DocString = runningMark
		}
		variables = append(variables, v)
	}
	s.g.Initializer, s.g.Node = variables, append(constants, s.g.Node...)
	s.rename(renamed, taken)
	return weights, nil
}

// rename gives variables their names; other values that have one of these get another.
func (s *simplifier) rename(renamed map[string]string, taken map[string]bool) {
	name := func(old string) string {
		if old == "" {
			return ""
		}
		if _, known := renamed[old]; !known {
			renamed[old] = unique(taken, old)
		}
		return renamed[old]
	}
	for _, n := range s.g.Node {
		for i := range n.Input {
			n.Input[i] = name(n.Input[i])
		}
		for i := range n.Output {
			n.Output[i] = name(n.Output[i])
		}
	}
	for _, v := range slices.Concat(s.g.Input, s.g.Output) {
		v.Name = name(v.Name)
	}
}
