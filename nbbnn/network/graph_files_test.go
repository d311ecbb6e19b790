package network

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Networks in the files of a folder answer as ONNX Runtime did, whose logits are next to them as
// float32 in NAME.bin, for the images [100, 3, 64, 64] in x64.bin. Where the logits of a double
// precision are there as float64 in NAME.f64, ONNX Runtime's distance from them may be longer.
func TestFilesAnswerAsONNXRuntime(t *testing.T) {
	folder := os.Getenv("NBBNN_ONNX")
	if folder == "" {
		t.Skip("NBBNN_ONNX names no folder of networks and what ONNX Runtime answers")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.onnx"))
	testkit.NoError(t, err)
	images := floatsIn(t, filepath.Join(folder, "x64.bin"))
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".onnx"), func(t *testing.T) {
			started := time.Now()
			g, weights, err := onnx.Read(path)
			testkit.NoError(t, err)
			read := time.Since(started)
			testkit.NoError(t, traceGraph(g, filepath.Base(path), ""))
			data := testkit.Must(g.Bytes())(t)
			n := testkit.Must(defineGraph(data, true))(t)
			traced := time.Since(started)
			m := graphModel(t, n, g)
			testkit.NoError(t, m.SetVariables(graphTensors(n, weights), false))
			program := testkit.Must(m.NewProgram("logits", func(args []*Node) []*Node {
				return []*Node{m.Logits(args[0], 1, nil)}
			}))(t)
			var got []float32
			var seconds float64
			for i := 0; i < 100; i += 20 {
				batch := make([]float32, 0, 20*64*64*3)
				for k := range 20 * 64 * 64 * 3 {
					image, at := k/(64*64*3), k%(64*64*3)
					batch = append(batch, images[(i+image)*64*64*3+at%3*64*64+at/3])
				}
				begin := time.Now()
				out, err := program.Call([]any{tensors.FromFlatDataAndDimensions(batch, 20, 64, 64,
					3)})
				testkit.NoError(t, err)
				seconds = time.Since(begin).Seconds()
				got = append(got, tensors.MustCopyFlatData[float32](out[0])...)
			}
			want, worst := floatsIn(t, strings.TrimSuffix(path, ".onnx")+".bin"), 0.0
			most := 1e-4
			for i := range want {
				worst = max(worst, math.Abs(float64(got[i]-want[i])))
			}
			if exact := strings.TrimSuffix(path, ".onnx") + ".f64"; fileExists(exact) {
				data, ours, theirs := testkit.Must(os.ReadFile(exact))(t), 0.0, 0.0
				for i := range want {
					value := math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
					ours = max(ours, math.Abs(float64(got[i])-value))
					theirs = max(theirs, math.Abs(float64(want[i])-value))
				}
				most = max(most, 2*theirs)
				t.Logf("from float64: here %.2g, ONNX Runtime %.2g", ours, theirs)
			}
			t.Logf("%d layers, without latents %q; largest difference %.2g; read %.1f s, traced "+
				"%.1f s, 20 images in %.2f s", len(g.Layers), g.Without, worst, read.Seconds(),
				traced.Seconds(), seconds)
			if worst > most {
				t.Errorf("largest difference %g, want at most %g", worst, most)
			}
		})
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func graphModel(t *testing.T, n Network, g *onnx.Graph) *Model {
	t.Helper()
	images := dataset.Images{Height: g.Height, Width: g.Width}
	data := &dataset.Dataset{Classes: make([]string, g.Classes), Train: images,
		Std: [3]float64{1, 1, 1}}
	return testkit.Must(NewModel(Settings{Network: n, Posterior: Posterior{Mode: Deterministic}},
		data, ModelOptions{}))(t)
}

func floatsIn(t *testing.T, path string) []float32 {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}
