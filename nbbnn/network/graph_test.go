package network

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx/parser"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

const graphSide, graphClasses = 12, 3

// graphNetworks are small networks in files.
var graphNetworks = map[string]func(side, classes int64) *protos.ModelProto{
	"convolutional": onnxtest.Convolutional, "tokens": onnxtest.Tokens, "written out": writtenOut,
	"grouped": grouped, "scaled groups": scaledGroups, "pools": pools, "swish": swish}

// writtenOut is a network with a hard swish of sums and products with constants, and a depthwise
// convolution of stride 2.
func writtenOut(side, classes int64) *protos.ModelProto {
	b := onnxtest.New(side)
	x := b.Conv("input", "stem", 3, 8, 3, 1)
	six := b.Weight("six", 6, 0)
	y := b.Node("Add", []string{x, b.Weight("three", 3, 0)})
	y = b.Node("Clip", []string{y, b.Weight("zero", 0, 0), six})
	y = b.Node("Div", []string{b.Node("Mul", []string{x, y}), six})
	y = b.Conv(y, "depthwise", 8, 8, 3, 8)
	nodes := b.Model.Graph.Node
	nodes[len(nodes)-1].Attribute = append(nodes[len(nodes)-1].Attribute,
		onnxtest.Ints("strides", 2, 1))
	y = b.Node("Sub", []string{b.Weight("shift", 0, 0.1, 8, 1, 1), y})
	y = b.Node("Flatten", []string{b.Node("GlobalAveragePool", []string{y})},
		onnxtest.Int("axis", 1))
	return b.End(y, 8, classes)
}

// importGraph reads a network from a file into a model with some settings.
func importGraph(t *testing.T, m *protos.ModelProto, settings Settings) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	onnxtest.Save(t, path, m)
	g, weights, err := onnx.Read(path)
	testkit.NoError(t, err)
	testkit.NoError(t, traceGraph(g, "tiny", ""))
	settings.Network = testkit.Must(defineGraph(testkit.Must(g.Bytes())(t), true))(t)
	data := randomData(16, graphSide, graphClasses)
	imported := testkit.Must(NewModel(settings, data, ModelOptions{Noise: HostNoise}))(t)
	testkit.NoError(t, imported.SetVariables(graphTensors(settings.Network, weights), true))
	return imported
}

// logitsByOnnxGoMLX computes the whole file by onnx-gomlx in float64, images as ONNX has them.
func logitsByOnnxGoMLX(t *testing.T, own *Model, m *protos.ModelProto,
	images *tensors.Tensor) []float64 {
	t.Helper()
	m = proto.Clone(m).(*protos.ModelProto)
	double := int32(protos.TensorProto_DOUBLE)
	m.Graph.Input[0].Type.GetTensorType().ElemType = double
	for _, w := range m.Graph.Initializer {
		if w.DataType == int32(protos.TensorProto_FLOAT) {
			w.DataType, w.DoubleData = double, doubles(w.FloatData)
			w.FloatData = nil
		}
	}
	for _, n := range m.Graph.Node {
		n.Attribute = slices.DeleteFunc(n.Attribute, func(a *protos.AttributeProto) bool {
			return n.OpType == "MaxPool" && a.Name == "dilations"
		})
	}
	m.Graph.Output[0].Name = "logits"
	whole := testkit.Must(parser.Parse(testkit.Must(proto.Marshal(m))(t)))(t)
	store := model.NewStore()
	testkit.NoError(t, whole.VariablesToScope(store.RootScope()))
	exec := testkit.Must(model.NewExec(own.Engine.Backend, store,
		func(scope *model.Scope, x *Node) *Node {
			return whole.CallGraph(scope, x.Graph(),
				map[string]*Node{"input": TransposeAllDims(ConvertDType(x, dtypes.Float64), 0, 3, 1,
					2)})[0]
		}))(t)
	out := testkit.Must(exec.Call(images))(t)
	return testkit.Must(tensors.CopyFlatData[float64](out[0]))(t)
}

func doubles(values []float32) (exact []float64) {
	for _, value := range values {
		exact = append(exact, float64(value))
	}
	return exact
}

// swish is a block of an EfficientNet: depthwise, with SiLUs, squeezed and excited.
func swish(side, classes int64) *protos.ModelProto {
	b := onnxtest.New(side)
	silu := func(x string) string {
		return b.Node("Mul", []string{x, b.Node("Sigmoid", []string{x})})
	}
	x := silu(b.Conv("input", "stem", 3, 8, 3, 1))
	y := silu(b.Conv(x, "depthwise", 8, 8, 5, 8))
	s := silu(b.Conv(b.Node("GlobalAveragePool", []string{y}), "squeeze", 8, 2, 1, 1))
	s = b.Node("Sigmoid", []string{b.Conv(s, "excite", 2, 8, 1, 1)})
	y = b.Conv(b.Node("Mul", []string{y, s}), "project", 8, 8, 1, 1)
	x = b.Node("GlobalAveragePool", []string{b.Node("Add", []string{x, y})})
	return b.End(b.Node("Flatten", []string{x}, onnxtest.Int("axis", 1)), 8, classes)
}

// Layers of our own between parts of a file answer as the whole file does, and latents of one
// change nothing. Every sample of an image answers so.
func TestGraphAnswersAsItsFile(t *testing.T) {
	for name, network := range graphNetworks {
		t.Run(name, func(t *testing.T) {
			m := network(graphSide, graphClasses)
			own := importGraph(t, m, Settings{Posterior: Posterior{Mode: Both}})
			own = own.With(OneLatents, 1, 0)
			images := own.Normalised(randomData(16, graphSide, graphClasses).Train, 1)
			want, tolerance := doubles(onnxRuntime[name]), 1e-5
			if want == nil {
				want, tolerance = logitsByOnnxGoMLX(t, own, m, images), 2e-6
			}
			program := testkit.Must(own.NewProgram("logits", func(args []*Node) []*Node {
				return []*Node{own.Logits(args[0], 2, nil)}
			}))(t)
			out := testkit.Must(program.Call([]any{images}))(t)
			got := testkit.Must(tensors.CopyFlatData[float32](out[0]))(t)
			for i, value := range want {
				image, class := i/graphClasses, i%graphClasses
				for sample := range 2 {
					have := float64(got[(2*image+sample)*graphClasses+class])
					if math.Abs(have-value) > tolerance*max(1, math.Abs(value)) {
						t.Fatalf("image %d, sample %d, class %d: %g, want %g", image, sample, class,
							have, value)
					}
				}
			}
		})
	}
}

// The layers of a file have the names of their weights and the numbers of their channels.
func TestLayersOfAGraph(t *testing.T) {
	for name, want := range map[string]string{
		"convolutional": "stem 3 6 144, depthwise 6 6 36, excite 6 6 1, project 6 6 36, head 6 3 1",
		"tokens":        "patches 3 8 9, grow 8 12 9, shrink 12 8 9, head 8 3 1",
	} {
		own := importGraph(t, graphNetworks[name](graphSide, graphClasses), Settings{})
		var got []string
		for _, l := range own.Architecture.layers {
			got = append(got, fmt.Sprint(l.name, " ", l.in, " ", l.out, " ",
				own.Architecture.positions(l, graphSide, graphSide)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s has the layers %q, want %q", name, strings.Join(got, ", "), want)
		}
	}
}

// A latent multiplies a channel of a layer's output, or of its input: the logits of a file whose
// weights are multiplied by hand are those of fixed latents.
func TestLatentsOfAGraph(t *testing.T) {
	own := importGraph(t, onnxtest.Tokens(graphSide, graphClasses),
		Settings{Posterior: Posterior{Mode: Both}})
	variables := testkit.Must(own.Variables())(t)
	folded := map[string][]float32{}
	for i, v := range variables {
		if v.Name == "phi.grow.mean" {
			values := v.Floats()
			for k := range values {
				values[k] = 1 + 0.1*float32(k)
			}
			folded["phi"] = values
			variables[i] = floatTensor(v, values)
		} else if strings.HasPrefix(v.Name, "phi.") && strings.HasSuffix(v.Name, ".mean") {
			variables[i] = floatTensor(v, slices.Repeat([]float32{1}, len(v.Floats())))
		}
	}
	testkit.NoError(t, own.SetVariables(variables, false))
	noisy := meanLogits(t, own.With(MeanLatents, 1, 0))
	for i, v := range variables {
		if v.Name == "theta.grow.weight" { // [8, 12], of which the rows are inputs
			values := v.Floats()
			for k := range values {
				values[k] *= folded["phi"][k/12] * folded["phi"][8+k%12]
			}
			variables[i] = floatTensor(v, values)
		}
	}
	testkit.NoError(t, own.SetVariables(variables, false))
	testkit.Near(t, "logits", noisy, meanLogits(t, own.With(OneLatents, 1, 0)), 1e-5)
}

func floatTensor(like Tensor, values []float32) Tensor {
	return safetensors.FromFloats(like.Name, values, like.Shape...)
}

func meanLogits(t *testing.T, m *Model) []float32 {
	t.Helper()
	program := testkit.Must(m.NewProgram("logits", func(args []*Node) []*Node {
		return []*Node{m.Logits(args[0], 1, nil)}
	}))(t)
	out := testkit.Must(
		program.Call([]any{m.Normalised(randomData(16, graphSide, graphClasses).Train, 1)}))(t)
	return testkit.Must(tensors.CopyFlatData[float32](out[0]))(t)
}

// The gradients of the posterior and of the weights of a file are those of finite differences.
func TestGradientsOfAGraph(t *testing.T) {
	for name, network := range graphNetworks {
		t.Run(name, func(t *testing.T) {
			m := importGraph(t, network(graphSide, graphClasses),
				Settings{Posterior: Posterior{Mode: Both, Components: 2}})
			paths := []string{"/phi/" + m.Architecture.layers[0].name + "/mean", "/phi/" +
				m.Architecture.layers[1].name + "/rho", "/phi/head/rho",
				thetaScope + m.Architecture.layers[1].name + "/weight", thetaScope + "head/bias"}
			program := testkit.Must(m.NewProgram("gradient", func(args []*Node) []*Node {
				logits := m.Logits(args[0], 2, args[1:])
				loss := Neg(ReduceAllMean(Slice(LogSoftmax(logits), AxisRange(), AxisElem(1))))
				var at []*Node
				for _, path := range paths {
					at = append(at, m.store.GetVariable(path).NodeValue(loss.Graph()))
				}
				outputs := append([]*Node{loss}, Gradient(loss, at...)...)
				for i, x := range outputs { // nodes after all variables, as in Model.LayerOutput
					outputs[i] = MulScalar(x, 1)
				}
				return outputs
			}))(t)
			args := append([]any{m.Normalised(randomData(16, graphSide, graphClasses).Train.Slice(0,
				4), 1)}, m.EvaluationNoise(7, 0, 4, 2)...)
			out := testkit.Must(program.Call(args))(t)
			variables := testkit.Must(m.Variables())(t)
			for i, path := range paths {
				gradient := testkit.Must(tensors.CopyFlatData[float32](out[1+i]))(t)
				at := slices.IndexFunc(variables, func(v Tensor) bool {
					return variablePath(v.Name) == path
				})
				for _, place := range []int{0, len(gradient) / 2, len(gradient) - 1} {
					lossAt := func(step float32) float64 {
						values := variables[at].Floats()
						values[place] += step
						changed := slices.Clone(variables)
						changed[at] = floatTensor(variables[at], values)
						testkit.NoError(t, m.SetVariables(changed, false))
						return scalar(testkit.Must(program.Call(args))(t)[0])
					}
					const step = 0.003
					numeric := (lossAt(step) - lossAt(-step)) / (2 * step)
					if got := float64(gradient[place]); math.Abs(got-numeric) > 2e-4+
						0.01*math.Abs(numeric) {
						t.Errorf("%s[%d]: gradient %g, finite differences %g", path, place, got,
							numeric)
					}
				}
			}
		})
	}
}

// What a file can't be used for is refused.
func TestGraphRefuses(t *testing.T) {
	read := func(change func(*protos.ModelProto)) *onnx.Graph {
		m := onnxtest.Convolutional(graphSide, graphClasses)
		change(m)
		path := filepath.Join(t.TempDir(), "tiny.onnx")
		onnxtest.Save(t, path, m)
		g, _, err := onnx.Read(path)
		testkit.NoError(t, err)
		return g
	}
	conv := func(name string, values ...int64) func(*protos.ModelProto) {
		return func(m *protos.ModelProto) {
			n := m.Graph.Node[0]
			n.Attribute = append([]*protos.AttributeProto{onnxtest.Ints(name, values...)},
				slices.DeleteFunc(n.Attribute, func(a *protos.AttributeProto) bool {
					return a.Name == name
				})...)
		}
	}
	for want, change := range map[string]func(*protos.ModelProto){
		`strides [0 0] at node "/Conv_1" ("Conv")`:        conv("strides", 0, 0),
		"a value of 2.4e+13 numbers, want up to 6.71e+07": conv("pads", 1e6, 1e6, 1e6, 1e6),
		`aren't ONNX's at node "/Conv_1"`:                 conv("pads", 1),
		`auto_pad or output_shape, want pads at node "/Conv_1"`: func(m *protos.ModelProto) {
			m.Graph.Node[0].OpType = "ConvTranspose"
			m.Graph.Node[0].Attribute = []*protos.AttributeProto{onnxtest.Text("auto_pad",
				"SAME_UPPER")}
		},
		`unimplemented ONNX op "RNN" in Node "/Relu_3": replace`: func(m *protos.ModelProto) {
			m.Graph.Node[2].OpType = "RNN"
		},
		`"RandomUniformLike" in Node "/Relu_3": export the network after network.eval()`: func(
			m *protos.ModelProto) {
			m.Graph.Node[2].OpType = "RandomUniformLike"
		},
		`softmax over several axes, which opset 13 doesn't have at node "/Relu_3"`: func(
			m *protos.ModelProto) {
			m.OpsetImport[0].Version, m.Graph.Node[2].OpType = 12, "Softmax"
		},
		"the file has a fixed batch: export it with a dynamic axis": func(m *protos.ModelProto) {
			m.Graph.Node[len(m.Graph.Node)-2].OpType = "Reshape"
			m.Graph.Node[len(m.Graph.Node)-2].Input = append(m.Graph.Node[len(m.Graph.Node)-
				2].Input, "shape")
			m.Graph.Initializer = append(m.Graph.Initializer, &protos.TensorProto{Name: "shape",
				Dims: []int64{2}, DataType: int32(protos.TensorProto_INT64),
				Int64Data: []int64{1, 6}})
		},
	} {
		testkit.ErrorOf(t, want, traceGraph(read(change), "tiny", ""), want, "network")
	}
	g := read(func(*protos.ModelProto) {})
	testkit.ErrorOf(t, "channels", traceGraph(g, "tiny", "grb"), `unknown order of channels "grb"`,
		"network")
	m := importGraph(t, onnxtest.Convolutional(graphSide, graphClasses), Settings{})
	_, err := NewModel(m.Settings, randomData(4, graphSide, 4), ModelOptions{})
	testkit.ErrorOf(t, "classes", err, "distinguishes 3 classes, the data set has 4", "network")
	_, err = NewModel(m.Settings, randomData(4, 16, graphClasses), ModelOptions{})
	testkit.ErrorOf(t, "size", err, "takes images of 12 x 12 pixels, and the data set has 16 x 16",
		"network")
}

// Chosen outputs are the only logits, in their order. Unknown ones and those of two classes are
// refused.
func TestChosenOutputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	m := onnxtest.Tokens(graphSide, graphClasses)
	for i, name := range []string{"logits of classes", "logits chosen"} { // others have the names
		old := m.Graph.Node[i].Output[0]
		m.Graph.Node[i].Output[0] = name
		for _, n := range m.Graph.Node {
			if at := slices.Index(n.Input, old); at >= 0 {
				n.Input[at] = name
			}
		}
	}
	onnxtest.Save(t, path, m)
	var answers [][]float32
	for _, outputs := range [][]int{nil, {2, 0}} {
		n, weights, err := Network{}.Read(path, "", outputs)
		testkit.NoError(t, err)
		data := randomData(16, graphSide, cmp.Or(len(outputs), graphClasses))
		m := testkit.Must(NewModel(Settings{Network: n, Posterior: Posterior{Mode: Deterministic}},
			data, ModelOptions{}))(t)
		testkit.NoError(t, m.SetVariables(weights, true))
		answers = append(answers, meanLogits(t, m))
	}
	for i := range 16 {
		testkit.Near(t, "logits", answers[1][2*i:2*i+2],
			[]float32{answers[0][3*i+2], answers[0][3*i]}, 0)
	}
	for _, outputs := range [][]int{{0, 3}, {-1, 0}, {1, 1}} {
		_, _, err := Network{}.Read(path, "", outputs)
		testkit.ErrorOf(t, "outputs", err, "give each class one output, 0 to 2", "onnx")
	}
}

// A graph that was restored is checked as a file is: anyone may have written it.
func TestRestoreRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	onnxtest.Save(t, path, onnxtest.Tokens(graphSide, graphClasses))
	n, _, err := Network{}.Read(path, "", nil)
	testkit.NoError(t, err)
	testkit.NoError(t, n.Restore(n.Graph()))
	patches := func(m *protos.ModelProto) *protos.NodeProto {
		return m.Graph.Node[slices.IndexFunc(m.Graph.Node, func(n *protos.NodeProto) bool {
			return n.OpType == "Conv"
		})]
	}
	for want, change := range map[string]func(*protos.ModelProto){
		"of shape [-1]: it's damaged": func(m *protos.ModelProto) {
			m.Graph.Initializer[0].Dims = []int64{-1}
		},
		"more than 2 GB of weights": func(m *protos.ModelProto) {
			m.Graph.Initializer[0].Dims = []int64{1 << 30}
		},
		"or weights that aren't float32": func(m *protos.ModelProto) {
			m.Graph.Initializer[0].DataType = int32(protos.TensorProto_BOOL)
		},
		"numbers, want up to 6.71e+07": func(m *protos.ModelProto) {
			patches(m).Attribute = append(patches(m).Attribute, onnxtest.Ints("pads", 1e6, 1e6, 1e6,
				1e6))
		},
		"has the control flow Conv": func(m *protos.ModelProto) {
			patches(m).Attribute[0].G = &protos.GraphProto{}
		},
		"before anything computes it": func(m *protos.ModelProto) {
			patches(m).Input[0] = "nothing"
		},
		"which goes backwards": func(m *protos.ModelProto) {
			step := &protos.NodeProto{OpType: "Constant", Output: []string{"step"},
				Attribute: []*protos.AttributeProto{{Name: "value", T: &protos.TensorProto{
					DataType: int32(protos.TensorProto_INT64), Dims: []int64{1},
					Int64Data: []int64{-1}}}}}
			slice := &protos.NodeProto{OpType: "Slice", Output: []string{"turned"},
				Input: []string{"input", "step", "step", "step", "step"}}
			m.Graph.Node = append([]*protos.NodeProto{step, slice}, m.Graph.Node...)
		},
		"isn't what its metadata say": func(m *protos.ModelProto) {
			for _, entry := range m.MetadataProps {
				entry.Value = strings.Replace(entry.Value, `"rows":0`, `"rows":9`, 1)
			}
		},
	} {
		m := new(protos.ModelProto)
		testkit.NoError(t, proto.Unmarshal(n.Graph(), m))
		change(m)
		restored, err := defineGraph(testkit.Must(proto.Marshal(m))(t), false)
		if err == nil {
			_, err = NewModel(Settings{Network: restored}, randomData(4, graphSide, graphClasses),
				ModelOptions{})
		}
		testkit.ErrorOf(t, want, err, want, "onnx", "network")
	}
}

// A network that takes blue first sees the same images as one that takes red first with its weights
// reversed.
func TestChannelsOfAGraph(t *testing.T) {
	rgb, bgr := onnxtest.Convolutional(graphSide, graphClasses), onnxtest.Convolutional(graphSide,
		graphClasses)
	w := bgr.Graph.Initializer[0] // [6, 3, 3, 3]
	for out := range 6 {
		for k := range 9 {
			w.FloatData[out*27+k], w.FloatData[out*27+18+k] = w.FloatData[out*27+18+k],
				w.FloatData[out*27+k]
		}
	}
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	onnxtest.Save(t, path, bgr)
	g, weights, err := onnx.Read(path)
	testkit.NoError(t, err)
	testkit.NoError(t, traceGraph(g, "tiny", "bgr"))
	settings := Settings{Posterior: Posterior{Mode: Deterministic}}
	plain := importGraph(t, rgb, settings)
	settings.Network = testkit.Must(defineGraph(testkit.Must(g.Bytes())(t), true))(t)
	reversed := testkit.Must(NewModel(settings, randomData(16, graphSide, graphClasses),
		ModelOptions{}))(t)
	testkit.NoError(t, reversed.SetVariables(graphTensors(settings.Network, weights), true))
	testkit.Near(t, "logits", meanLogits(t, reversed), meanLogits(t, plain), 1e-5)
}

// A convolution that pads by itself answers as one with these pads.
func TestPadsOfAGraph(t *testing.T) {
	answer := func(pads *protos.AttributeProto) []float32 {
		m := onnxtest.Convolutional(graphSide, graphClasses)
		stem := m.Graph.Node[0] // its kernels have 3 x 3 pixels
		stem.Attribute = []*protos.AttributeProto{onnxtest.Ints("strides", 2, 2), pads}
		return meanLogits(t, importGraph(t, m, Settings{Posterior: Posterior{Mode: Deterministic}}))
	}
	for how, pads := range map[string][]int64{"SAME_UPPER": {0, 0, 1, 1},
		"SAME_LOWER": {1, 1, 0, 0}, "VALID": {0, 0, 0, 0}} {
		testkit.Near(t, how, answer(onnxtest.Text("auto_pad", how)),
			answer(onnxtest.Ints("pads", pads...)), 0)
	}
}

// answered returns the logits of a network with nodes behind a convolution of four channels.
func answered(t *testing.T, opset int64,
	add func(b *onnxtest.Builder, x string) string) []float32 {
	b := onnxtest.New(graphSide)
	b.Model.OpsetImport[0].Version = opset
	x := b.Node("GlobalAveragePool", []string{add(b, b.Conv("input", "stem", 3, 4, 3, 1))})
	return meanLogits(t, importGraph(t, b.End(b.Node("Flatten", []string{x}), 4, graphClasses),
		Settings{Posterior: Posterior{Mode: Deterministic}}))
}

// Settings that are attributes in old opsets count as the inputs that they are in later ones, of
// both limits one may be missing, and groups that are axes are normalised as those of channels.
func TestOldFormsOfAGraph(t *testing.T) {
	number := func(name string, value float32) *protos.AttributeProto {
		return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_FLOAT, F: value}
	}
	low, high := number("min", -0.1), number("max", 0.2)
	clip := func(limits ...*protos.AttributeProto) func(*onnxtest.Builder, string) string {
		return func(b *onnxtest.Builder, x string) string {
			return b.Node("Clip", []string{x}, limits...)
		}
	}
	for name, both := range map[string][2]func(*onnxtest.Builder, string) string{
		"lower": {clip(low), func(b *onnxtest.Builder, x string) string {
			return b.Node("Max", []string{x, b.Weight("low", -0.1, 0)})
		}},
		"upper": {clip(high), func(b *onnxtest.Builder, x string) string {
			return b.Node("Min", []string{x, b.Weight("high", 0.2, 0)})
		}},
		"both": {clip(high, low), func(b *onnxtest.Builder, x string) string {
			return b.Node("Clip", []string{x, b.Weight("low", -0.1, 0), b.Weight("high", 0.2, 0)})
		}},
		"groups": {func(b *onnxtest.Builder, x string) string {
			x = b.Node("Reshape", []string{x, b.Whole("groups", 0, 2, -1)})
			x = b.Node("InstanceNormalization", []string{x, b.Weight("scale", 1.5, 0, 2),
				b.Weight("shift", 0.2, 0, 2)})
			return b.Node("Relu", []string{b.Node("Reshape", []string{x, b.Whole("image", 0, 4,
				graphSide, graphSide)})})
		}, func(b *onnxtest.Builder, x string) string {
			x = b.Node("GroupNormalization", []string{x, b.Weight("scale", 1.5, 0, 4),
				b.Weight("shift", 0.2, 0, 4)}, onnxtest.Int("num_groups", 2))
			return b.Node("Relu", []string{x})
		}},
		"part": {func(b *onnxtest.Builder, x string) string {
			return b.Node("Slice", []string{x}, onnxtest.Ints("starts", 2),
				onnxtest.Ints("ends", 9), onnxtest.Ints("axes", 2))
		}, func(b *onnxtest.Builder, x string) string {
			return b.Node("Slice", []string{x, b.Whole("from", 2), b.Whole("to", 9),
				b.Whole("axis", 2)})
		}},
	} {
		testkit.Near(t, name, answered(t, 9, both[0]), answered(t, 17, both[1]), 1e-6)
	}
}

// A power has an exponent for each channel.
func TestPowersOfAGraph(t *testing.T) {
	testkit.Near(t, "squares", answered(t, 17, func(b *onnxtest.Builder, x string) string {
		return b.Node("Pow", []string{b.Node("Abs", []string{x}), b.Weight("twos", 2, 0, 4, 1, 1)})
	}), answered(t, 17, func(b *onnxtest.Builder, x string) string {
		return b.Node("Mul", []string{x, x})
	}), 1e-5)
}

// The gradient of the input of a convolution with an even kernel is that of finite differences.
func TestGradientOfEvenKernels(t *testing.T) {
	backend := testkit.Must(engine.OpenNamed("go"))(t).Backend
	for _, kernel := range []int{2, 4} {
		values := randomData(2, 8, 2).Train.Pixels
		x := make([]float32, len(values))
		for i, value := range values {
			x[i] = float32(value)/128 - 1
		}
		loss := func(x *Node) *Node {
			w := Sin(MulScalar(Add(Iota(x.Graph(), shapes.Make(computeType, kernel, kernel, 3, 4),
				3), Iota(x.Graph(), shapes.Make(computeType, kernel, kernel, 3, 4), 1)), 2))
			return ReduceAllMean(Square(noisyConvolution(x, w, nil, nil, 2, kernel/2-1)))
		}
		exec := testkit.Must(NewExec(backend, func(x *Node) []*Node {
			l := loss(x)
			return []*Node{l, Gradient(l, x)[0]}
		}))(t)
		at := func() []*tensors.Tensor {
			return testkit.Must(exec.Call(tensors.FromFlatDataAndDimensions(slices.Clone(x), 2, 8,
				8, 3)))(t)
		}
		gradient := testkit.Must(tensors.CopyFlatData[float32](at()[1]))(t)
		for _, place := range []int{0, 100, len(x) - 1} {
			before := x[place]
			x[place] = before + 0.01
			above := scalar(at()[0])
			x[place] = before - 0.01
			below := scalar(at()[0])
			x[place] = before
			if numeric := (above - below) / 0.02; math.Abs(numeric-
				float64(gradient[place])) > 1e-4 {
				t.Errorf("kernel %d, value %d: gradient %g, finite differences %g", kernel, place,
					gradient[place], numeric)
			}
		}
	}
}
