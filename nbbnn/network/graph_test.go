package network

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx/parser"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

const graphSide, graphClasses = 12, 3

// graphNetworks are small networks in files.
var graphNetworks = map[string]func(side, classes int64) *protos.ModelProto{"convolutional": onnxtest.Convolutional, "tokens": onnxtest.Tokens}

// importGraph reads a network from a file into a model with some settings.
func importGraph(t *testing.T, m *protos.ModelProto, settings Settings) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	onnxtest.Save(t, path, m)
	g, weights, err := onnx.Read(path)
	testkit.NoError(t, err)
	testkit.NoError(t, TraceGraph(g, "tiny", ""))
	settings.Network = testkit.Must(DefineGraph(testkit.Must(g.Bytes())(t)))(t)
	data := randomData(16, graphSide, graphClasses)
	imported := testkit.Must(NewModel(settings, data, ModelOptions{Noise: HostNoise}))(t)
	testkit.NoError(t, imported.SetWeights(GraphTensors(settings.Network, weights)))
	return imported
}

// logitsByOnnxGoMLX computes the whole file by onnx-gomlx, images as ONNX has them.
func logitsByOnnxGoMLX(t *testing.T, own *Model, m *protos.ModelProto, images *tensors.Tensor) []float32 {
	t.Helper()
	m = proto.Clone(m).(*protos.ModelProto)
	for _, n := range m.Graph.Node {
		n.Attribute = slices.DeleteFunc(n.Attribute, func(a *protos.AttributeProto) bool { return n.OpType == "MaxPool" && a.Name == "dilations" })
	}
	m.Graph.Output[0].Name = "logits"
	whole := testkit.Must(parser.Parse(testkit.Must(proto.Marshal(m))(t)))(t)
	store := model.NewStore()
	testkit.NoError(t, whole.VariablesToScope(store.RootScope()))
	exec := testkit.Must(model.NewExec(own.engine.Backend, store, func(scope *model.Scope, x *Node) *Node {
		return whole.CallGraph(scope, x.Graph(), map[string]*Node{"input": TransposeAllDims(x, 0, 3, 1, 2)})[0]
	}))(t)
	out := testkit.Must(exec.Call(images))(t)
	return testkit.Must(tensors.CopyFlatData[float32](out[0]))(t)
}

// Layers of our own between parts of a file answer as the whole file does, and latents of one change
// nothing. Every sample of an image answers so.
func TestGraphAnswersAsItsFile(t *testing.T) {
	for name, network := range graphNetworks {
		t.Run(name, func(t *testing.T) {
			m := network(graphSide, graphClasses)
			own := importGraph(t, m, Settings{Posterior: Posterior{Mode: Both}}).With(OneLatents)
			images := own.Normalised(randomData(16, graphSide, graphClasses).Train, 1)
			want := logitsByOnnxGoMLX(t, own, m, images)
			program := testkit.Must(own.NewProgram("logits", func(args []*Node) []*Node { return []*Node{own.Logits(args[0], 2, nil)} }))(t)
			out := testkit.Must(program.Call([]any{images}))(t)
			got := testkit.Must(tensors.CopyFlatData[float32](out[0]))(t)
			for i, value := range want {
				image, class := i/graphClasses, i%graphClasses
				for sample := range 2 {
					if have := got[(2*image+sample)*graphClasses+class]; math.Abs(float64(have-value)) > 1e-5 {
						t.Fatalf("image %d, sample %d, class %d: %g, want %g", image, sample, class, have, value)
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
		for _, l := range own.architecture.layers {
			got = append(got, fmt.Sprint(l.name, " ", l.in, " ", l.out, " ", own.architecture.positions(l, graphSide)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s has the layers %q, want %q", name, strings.Join(got, ", "), want)
		}
	}
}

// A latent multiplies a channel of a layer's output, or of its input: the logits of a file whose weights
// are multiplied by hand are those of fixed latents.
func TestLatentsOfAGraph(t *testing.T) {
	own := importGraph(t, onnxtest.Tokens(graphSide, graphClasses), Settings{Posterior: Posterior{Mode: Both}})
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
	testkit.NoError(t, own.SetVariables(variables))
	noisy := meanLogits(t, own.With(MeanLatents))
	for i, v := range variables {
		if v.Name == "theta.grow.weight" { // [8, 12], of which the rows are inputs
			values := v.Floats()
			for k := range values {
				values[k] *= folded["phi"][k/12] * folded["phi"][8+k%12]
			}
			variables[i] = floatTensor(v, values)
		}
	}
	testkit.NoError(t, own.SetVariables(variables))
	testkit.Near(t, "logits", noisy, meanLogits(t, own.With(OneLatents)), 1e-5)
}

func floatTensor(like Tensor, values []float32) Tensor {
	return safetensors.FromFloats(like.Name, values, like.Shape...)
}

func meanLogits(t *testing.T, m *Model) []float32 {
	t.Helper()
	program := testkit.Must(m.NewProgram("logits", func(args []*Node) []*Node { return []*Node{m.Logits(args[0], 1, nil)} }))(t)
	out := testkit.Must(program.Call([]any{m.Normalised(randomData(16, graphSide, graphClasses).Train, 1)}))(t)
	return testkit.Must(tensors.CopyFlatData[float32](out[0]))(t)
}
