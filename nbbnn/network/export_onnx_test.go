package network

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// runInPython loads each network in a folder in ONNX Runtime and writes what it answers.
const runInPython = `
import json, sys, numpy as np, onnxruntime
for name in json.load(open("names.json")):
    session = onnxruntime.InferenceSession(name + "/network.onnx")
    feed = json.load(open(name + "/feed.json"))
    for key, value in feed.items():
        kind = np.uint8 if key == "images" else np.int64 if key == "samples" else np.float32
        feed[key] = np.array(value["values"], kind).reshape(value["shape"])
    session.run(None, feed)[0].astype(np.float32).tofile(name + "/answer.bin")
`

// value is an input of a network in JSON.
type value struct {
	Shape  []int     `json:"shape"`
	Values []float32 `json:"values"`
}

// ONNX Runtime answers as the predictor does with the same draws: networks of our own and of files,
// in all modes, with components.
func TestExportedNetworksAnswerInONNXRuntime(t *testing.T) {
	python := cmp.Or(os.Getenv("NBBNN_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import onnxruntime").Run(); err != nil {
		t.Skipf("%s has no onnxruntime (%v): pip install onnxruntime, or name another Python in "+
			"NBBNN_PYTHON", python, err)
	}
	folder := t.TempDir()
	const images, samples = 3, 4
	models := map[string]*Model{}
	for i, name := range []string{"allcnnc", "vgg16", "resnet18", "preactresnet18",
		imageNetResNet18} {
		settings := Settings{Network: Network{Name: name, Width: 4},
			Posterior: Posterior{Components: 1 + i%2, Mode: []Mode{Output, Input, Both}[i%3]}}
		models[name] = testkit.Must(NewModel(settings, randomData(images, 32, 5),
			ModelOptions{Noise: HostNoise}))(t)
	}
	models["published"] = testkit.Must(
		NewModel(Settings{Network: Network{Width: 8, Form: Published}}, randomData(images, 32, 5),
			ModelOptions{Noise: HostNoise}))(t)
	models["sign"] = testkit.Must(NewModel(Settings{Network: Network{Name: "resnet18", Width: 4},
		Posterior: Posterior{Law: "sign"}}, randomData(images, 32, 5),
		ModelOptions{Noise: HostNoise}))(t)
	for name, network := range graphNetworks {
		for _, mode := range []Mode{Output, Input, Both, Deterministic} {
			models[name+"-"+string(mode)] = importGraph(t, network(graphSide, graphClasses),
				Settings{Posterior: Posterior{Mode: mode, Components: 1 + len(mode)%2}})
		}
	}
	want := map[string][]float32{}
	for name, m := range models {
		want[name] = writeExported(t, filepath.Join(folder, name), m, images, samples)
	}
	names := []string{}
	for name := range models {
		names = append(names, name)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "names.json"),
		testkit.Must(json.Marshal(names))(t), 0o644))
	command := exec.Command(python, "-c", runInPython)
	command.Dir = folder
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("Python: %v\n%s", err, text)
	}
	for name, values := range want {
		answer := testkit.Must(os.ReadFile(filepath.Join(folder, name, "answer.bin")))(t)
		if len(answer) != 4*len(values) {
			t.Errorf("%s answers %d bytes, want %d numbers", name, len(answer), len(values))
			continue
		}
		worst := 0.0
		for i, value := range values {
			got := math.Float32frombits(binary.LittleEndian.Uint32(answer[4*i:]))
			worst = max(worst, math.Abs(float64(got-value)))
		}
		if t.Logf("%s: largest difference %.2g", name, worst); !(worst <= 1e-4) {
			t.Errorf("%s: log-probabilities differ by %g, want at most 1e-4", name, worst)
		}
	}
}

// writeExported writes a network with its images and noise, and returns what the predictor answers.
func writeExported(t *testing.T, folder string, m *Model, images, samples int) []float32 {
	t.Helper()
	testkit.NoError(t, os.Mkdir(folder, 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "network.onnx"),
		testkit.Must(m.ExportONNX(false))(t), 0o644))
	if m.Settings.Posterior.Mode == Deterministic {
		samples = 1
	}
	set := randomData(images, m.Height, m.Classes).Train
	feed := map[string]value{"images": {Shape: []int{images, m.Height, m.Width, 3}}}
	pixels := make([]float32, len(set.Pixels))
	for i, pixel := range set.Pixels {
		pixels[i] = float32(pixel)
	}
	feed["images"] = value{feed["images"].Shape, pixels}
	for i, noise := range m.EvaluationNoise(5, 0, images, samples) {
		tensor := noise.(*tensors.Tensor)
		feed[fmt.Sprint("noise/", m.drawnLayers(false)[i].name)] = value{tensor.Shape().Dimensions,
			testkit.Must(tensors.CopyFlatData[float32](tensor))(t)}
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "feed.json"),
		testkit.Must(json.Marshal(feed))(t), 0o644))
	p := testkit.Must(m.NewPredictor(images, samples, 5))(t)
	return testkit.Must(p.Predict(t.Context(), set))(t).LogProbabilities
}
