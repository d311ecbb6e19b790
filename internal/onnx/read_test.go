package onnx_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
	"github.com/nbbnn/workbench/internal/testkit"
)

// saved writes a network after a change.
func saved(t *testing.T, change func(*protos.ModelProto)) string {
	t.Helper()
	m := onnxtest.Convolutional(12, 3)
	change(m)
	path := filepath.Join(t.TempDir(), "network.onnx")
	onnxtest.Save(t, path, m)
	return path
}

// What can't be read is refused in one sentence that names it.
func TestReadRefuses(t *testing.T) {
	first := func(m *protos.ModelProto) *protos.NodeProto { return m.Graph.Node[0] }
	for want, change := range map[string]func(*protos.ModelProto){
		"has opset 99, want 7 to 25": func(m *protos.ModelProto) {
			m.OpsetImport[0].Version = 99
		},
		"has opset 6, want 7 to 25": func(m *protos.ModelProto) {
			m.OpsetImport[0].Version = 6
		},
		`has the inputs "input" and "mask"`: func(m *protos.ModelProto) {
			m.Graph.Input = append(m.Graph.Input, onnxtest.Value("mask", -1, 3))
		},
		`has the outputs "logits" and "value2"`: func(m *protos.ModelProto) {
			m.Graph.Output = append(m.Graph.Output, onnxtest.Value("value2", -1, 3))
		},
		"takes images of a free or unusable size, [0 3 0 12]": func(m *protos.ModelProto) {
			m.Graph.Input[0] = onnxtest.Value("input", -1, 3, -1, 12)
		},
		`takes "input" of shape [0 1 12 12], want RGB`: func(m *protos.ModelProto) {
			m.Graph.Input[0] = onnxtest.Value("input", -1, 1, 12, 12)
		},
		`returns "logits" of shape [0 1], want a logit for`: func(m *protos.ModelProto) {
			m.Graph.Output[0] = onnxtest.Value("logits", -1, 1)
		},
		`has the weights "stem.weight" of type FLOAT16`: func(m *protos.ModelProto) {
			w := m.Graph.Initializer[0]
			w.DataType, w.RawData, w.FloatData = int32(protos.TensorProto_FLOAT16),
				make([]byte, 2*len(w.FloatData)), nil
		},
		`of type BFLOAT16: export the network in float32`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].DataType = int32(protos.TensorProto_BFLOAT16)
		},
		`has the tensor "stem.weight" of type STRING`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].DataType = int32(protos.TensorProto_STRING)
		},
		`of shape [-1 3 3 3]: it's damaged`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].Dims[0] = -1
		},
		`of shape [4611686018427387904 3 3 3]`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].Dims[0] = 1 << 62
		},
		`with 648 bytes, want 756`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].Dims[0] = 7
		},
		`an infinity or NaN`: func(m *protos.ModelProto) {
			m.Graph.Initializer[0].FloatData[3] = float32(nan())
		},
		`is quantised, with QLinearConv at node "/Conv_1"`: func(m *protos.ModelProto) {
			first(m).OpType = "QLinearConv"
		},
		`has the control flow Loop at node "/Conv_1"`: func(m *protos.ModelProto) {
			first(m).OpType, first(m).Attribute = "Loop", []*protos.AttributeProto{
				{Name: "body", G: &protos.GraphProto{}}}
		},
		`takes "nothing" before anything computes it`: func(m *protos.ModelProto) {
			first(m).Input[0] = "nothing"
		},
		`takes "value3" before anything computes it`: func(m *protos.ModelProto) {
			first(m).Input[0] = "value3"
		},
		`computes "value1" twice`: func(m *protos.ModelProto) {
			m.Graph.Node[1].Output[0] = "value1"
		},
		`doesn't compute its output "elsewhere"`: func(m *protos.ModelProto) {
			m.Graph.Output[0].Name = "elsewhere"
		},
		`in "../weights", outside of its folder`:                    external("../weights"),
		`in "/etc/passwd", outside of its folder`:                   external("/etc/passwd"),
		`has the weights "stem.weight" in the file "missing.bin": `: external("missing.bin"),
		`in the file "a\nb": no such file or directory: put`:        external("a\nb"),
		`without an output or an input that a "Conv" has: it's`: func(m *protos.ModelProto) {
			first(m).Output = nil
		},
		`the Slice "/Conv_1", which goes backwards`: func(m *protos.ModelProto) {
			first(m).OpType = "Slice"
			for i, value := range []int64{-1, math.MinInt64, 0, -1} {
				name := fmt.Sprint("at", i)
				m.Graph.Initializer = append(m.Graph.Initializer, &protos.TensorProto{Name: name,
					Dims: []int64{1}, DataType: int32(protos.TensorProto_INT64),
					Int64Data: []int64{value}})
				first(m).Input = append(first(m).Input[:1+i], name)
			}
		},
		`the Resize "/Conv_1", which doesn't interpolate as`: resize("cubic", 2),
		`the Resize "/Conv_1", which has a scale that isn't`: resize("linear", 1.5),
		"has two weights of one name": func(m *protos.ModelProto) {
			m.Graph.Initializer = append(m.Graph.Initializer, m.Graph.Initializer[0])
		},
		"has functions or sparse weights": func(m *protos.ModelProto) {
			m.Functions = []*protos.FunctionProto{{Name: "f"}}
		},
	} {
		_, _, err := onnx.Read(saved(t, change))
		testkit.ErrorOf(t, want, err, want, "onnx")
	}
	for name, data := range map[string][]byte{"empty": nil,
		"text": []byte("PK\x03\x04, no network"), "zeros": make([]byte, 1000)} {
		path := filepath.Join(t.TempDir(), "other.onnx")
		testkit.NoError(t, os.WriteFile(path, data, 0o644))
		_, _, err := onnx.Read(path)
		testkit.ErrorOf(t, name, err, "isn't an ONNX file, or is cut off", "onnx")
	}
	whole := testkit.Must(os.ReadFile(saved(t, func(*protos.ModelProto) {})))(t)
	for _, length := range []int{1, 10, len(whole) / 2, len(whole) - 1} {
		path := filepath.Join(t.TempDir(), "cut.onnx")
		testkit.NoError(t, os.WriteFile(path, whole[:length], 0o644))
		_, _, err := onnx.Read(path)
		testkit.ErrorOf(t, "cut", err, "isn't an ONNX file, or is cut off", "onnx")
	}
}

// resize makes a Resize of the first node.
func resize(mode string, scale float32) func(*protos.ModelProto) {
	return func(m *protos.ModelProto) {
		n := m.Graph.Node[0]
		n.OpType, n.Input = "Resize", []string{"input", "", "scales"}
		n.Attribute = []*protos.AttributeProto{onnxtest.Text("mode", mode)}
		m.Graph.Initializer = append(m.Graph.Initializer, &protos.TensorProto{Name: "scales",
			Dims: []int64{4}, DataType: int32(protos.TensorProto_FLOAT),
			FloatData: []float32{1, 1, scale, scale}})
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// A graph of very many nodes is refused before it's read into memory.
func TestReadRefusesVeryManyNodes(t *testing.T) {
	node := testkit.Must(proto.Marshal(&protos.GraphProto{Node: []*protos.NodeProto{{}}}))(t)
	graph := slices.Repeat(node, 1_000_000)
	path := filepath.Join(t.TempDir(), "many.onnx")
	data := append([]byte{7<<3 | 2}, varint(len(graph))...)
	testkit.NoError(t, os.WriteFile(path, append(data, graph...), 0o644))
	_, _, err := onnx.Read(path)
	testkit.ErrorOf(t, "a million nodes", err, "has 1000000 nodes", "onnx")
}

func varint(n int) (data []byte) {
	for ; n > 127; n >>= 7 {
		data = append(data, byte(n)|128)
	}
	return append(data, byte(n))
}

// inTraining changes a model to what torch.onnx.export writes of one before model.eval().
func inTraining(m *protos.ModelProto) {
	for _, n := range m.Graph.Node {
		if n.OpType == "BatchNormalization" {
			n.Attribute = append(n.Attribute, onnxtest.Int("training_mode", 1))
		}
	}
	for i, mode := range []int32{1, 0} {
		name := []string{"on", "off"}[i]
		m.Graph.Initializer = append(m.Graph.Initializer, &protos.TensorProto{Name: name,
			DataType: int32(protos.TensorProto_BOOL), Int32Data: []int32{mode}})
	}
	m.Graph.Node = append(m.Graph.Node,
		&protos.NodeProto{Name: "drop", OpType: "Dropout", Input: []string{"logits", "", "on"},
			Output: []string{"dropped"}},
		&protos.NodeProto{Name: "keep", OpType: "Dropout", Input: []string{"dropped", "", "off"},
			Output: []string{"end"}})
	m.Graph.Output[0].Name = "end"
}

// Weights next to the file, in constant nodes or among the inputs, copies, escapes in names and a
// softmax at the end change nothing but the names.
func TestReadOtherForms(t *testing.T) {
	plain, weights, err := onnx.Read(saved(t, func(*protos.ModelProto) {}))
	testkit.NoError(t, err)
	for name, change := range map[string]func(*protos.ModelProto){
		"inputs": func(m *protos.ModelProto) {
			m.Graph.Input = append(m.Graph.Input, onnxtest.Value("stem.weight", 6, 3, 3, 3))
		},
		"constants": func(m *protos.ModelProto) {
			w := m.Graph.Initializer[0]
			m.Graph.Initializer = m.Graph.Initializer[1:]
			n := &protos.NodeProto{OpType: "Constant", Output: []string{w.Name},
				Attribute: []*protos.AttributeProto{
					{Name: "value", Type: protos.AttributeProto_TENSOR, T: w}}}
			m.Graph.Node = append([]*protos.NodeProto{n}, m.Graph.Node...)
		},
		"copies": func(m *protos.ModelProto) {
			m.Graph.Node = append(m.Graph.Node, &protos.NodeProto{OpType: "Dropout",
				Input: []string{"logits"}, Output: []string{"end"}})
			m.Graph.Output[0].Name = "end"
		},
		"softmax": func(m *protos.ModelProto) {
			m.Graph.Node = append(m.Graph.Node, &protos.NodeProto{OpType: "LogSoftmax",
				Input: []string{"logits"}, Output: []string{"end"}})
			m.Graph.Output[0].Name = "end"
		},
		"training": inTraining,
		"unused": func(m *protos.ModelProto) {
			m.Graph.Node = append(m.Graph.Node, &protos.NodeProto{OpType: "Loss",
				Input: []string{"logits"}, Output: []string{"loss"}})
		},
	} {
		g, got, err := onnx.Read(saved(t, change))
		testkit.NoError(t, err)
		told := g.Property(onnx.TrainingKey)
		const want = `BatchNormalization "/BatchNormalization_2", Dropout "drop"`
		if name == "training" && told != want || name != "training" && told != "" {
			t.Errorf("%s: in training mode are said to be %q", name, told)
		}
		if len(g.Layers) != len(plain.Layers) || len(g.Nodes) != len(plain.Nodes) ||
			g.Output != plain.Output || len(got) != len(weights) {
			t.Errorf("%s: %d layers and %d nodes to %q, want %d and %d to %q", name, len(g.Layers),
				len(g.Nodes), g.Output, len(plain.Layers), len(plain.Nodes), plain.Output)
		}
	}
	odd, _, err := onnx.Read(saved(t, func(m *protos.ModelProto) {
		for _, n := range m.Graph.Node {
			for i, name := range n.Input {
				n.Input[i] = strings.Replace(name, "stem.weight", "a\n\"b\"/../../c.weight", 1)
			}
		}
		m.Graph.Initializer[0].Name = "a\n\"b\"/../../c.weight"
	}))
	if testkit.NoError(t, err); odd.Layers[0].Name != "a__b_/c" {
		t.Errorf("a name with escapes becomes %q", odd.Layers[0].Name)
	}
}

// Weights in a file next to the network are those of the network alone. A link doesn't lead out of
// its folder, and what isn't a file isn't read.
func TestReadExternalWeights(t *testing.T) {
	_, want, err := onnx.Read(saved(t, func(*protos.ModelProto) {}))
	testkit.NoError(t, err)
	path := saved(t, external("in/weights.bin"))
	folder, elsewhere := filepath.Join(filepath.Dir(path), "in"), t.TempDir()
	for _, place := range []string{folder, elsewhere} {
		testkit.NoError(t, os.MkdirAll(place, 0o755))
		testkit.NoError(t, os.WriteFile(filepath.Join(place, "weights.bin"),
			append(make([]byte, 8), want[0].Data...), 0o644))
	}
	_, got, err := onnx.Read(path)
	if testkit.NoError(t, err); string(got[0].Data) != string(want[0].Data) {
		t.Error("the weights in a file of their own are others")
	}
	testkit.NoError(t, os.Truncate(filepath.Join(folder, "weights.bin"), 100))
	_, _, err = onnx.Read(path)
	testkit.ErrorOf(t, "a cut file", err, "it has 100 bytes, want 648 from 8 on", "onnx")
	testkit.NoError(t, os.RemoveAll(folder))
	testkit.NoError(t, os.Symlink(elsewhere, folder))
	_, _, err = onnx.Read(path)
	testkit.ErrorOf(t, "a link", err, `"in/weights.bin": path escapes from parent: put`, "onnx")
	testkit.NoError(t, os.Remove(folder))
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, "weights.bin"), 0o755))
	_, _, err = onnx.Read(path)
	testkit.ErrorOf(t, "a folder", err, "bytes, want 648 from 8 on", "onnx")
}

// external puts the first weights into another file, behind eight bytes.
func external(location string) func(*protos.ModelProto) {
	return func(m *protos.ModelProto) {
		w := m.Graph.Initializer[0]
		w.FloatData, w.DataLocation = nil, protos.TensorProto_EXTERNAL
		w.ExternalData = []*protos.StringStringEntryProto{{Key: "location", Value: location},
			{Key: "offset", Value: "8"}}
	}
}

// A file of any bytes is read or refused, and a graph that is read is read again from its own
// bytes.
func FuzzRead(f *testing.F) {
	for _, m := range []*protos.ModelProto{onnxtest.Convolutional(12, 3), onnxtest.Tokens(12, 3)} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "network.onnx")
		testkit.NoError(t, os.WriteFile(path, data, 0o644))
		g, _, err := onnx.Read(path)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "onnx: ") ||
				strings.Contains(text, "\n") {
				t.Errorf("the error %q isn't a line of this package", text)
			}
			return
		}
		again := testkit.Must(onnx.Load(testkit.Must(g.Bytes())(t)))(t)
		if len(again.Layers) != len(g.Layers) || again.Input != g.Input ||
			again.Output != g.Output {
			t.Errorf("read again it has %d layers from %q to %q, want %d from %q to %q",
				len(again.Layers), again.Input, again.Output, len(g.Layers), g.Input, g.Output)
		}
	})
}
