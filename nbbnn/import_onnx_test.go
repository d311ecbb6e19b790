package nbbnn

import (
	"encoding/base64"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// importedONNX imports a small network with two classes among its outputs, trained on images with
// the labels that it gives them.
func importedONNX(t *testing.T, m *protos.ModelProto, outputs []int) *Run {
	t.Helper()
	t.Setenv("NBBNN_DATA", t.TempDir())
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	onnxtest.Save(t, path, m)
	config := Config{Data: Data{Name: "unlabelled"}, Training: Training{Batch: 10},
		Pixels: dataset.Normalisation{Std: [3]float64{1, 1, 1}}}
	images := dataset.Images{Height: 12, Width: 12, Pixels: make([]uint8, 50*12*12*3),
		Labels: make([]uint8, 50)}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range images.Pixels {
		shade := i / (12 * 12 * 3) * 5
		images.Pixels[i] = uint8(min(255, shade*(1+i%3)/2) * (50 + random.IntN(50)) / 100)
	}
	for i := range images.Labels {
		images.Labels[i] = uint8(i % 2)
	}
	add := func(name string) {
		set := dataset.Dataset{Name: name, Classes: []string{"one", "other"},
			Train: images.Slice(0, 40), Test: images.Slice(30, 50)}
		testkit.Must(dataset.Add(t.Context(), set, dataset.AddOptions{}))(t)
	}
	add("unlabelled")
	first := testkit.Must(ImportONNX(t.Context(), t.TempDir(), config, path, "", outputs))(t)
	prediction := testkit.Must(first.PredictImages(t.Context(), images, 1))(t)
	margins := make([]float32, len(images.Labels))
	for i := range margins {
		margins[i] = prediction.LogProbabilities[2*i+1] - prediction.LogProbabilities[2*i]
	}
	sorted := slices.Sorted(slices.Values(margins))
	middle := (sorted[24] + sorted[25]) / 2
	for _, w := range m.Graph.Initializer {
		if w.Name == "head.bias" { // half of the images are of each class
			w.FloatData[outputs[1]] -= middle
		}
	}
	onnxtest.Save(t, path, m)
	for i, margin := range margins {
		images.Labels[i] = 0
		if margin > middle {
			images.Labels[i] = 1
		}
	}
	add("labelled")
	config.Data.Name = "labelled"
	return testkit.Must(ImportONNX(t.Context(), t.TempDir(), config, path, "", outputs))(t)
}

// A network from a file is tested as any other run, and noise on it is trained, stopped and
// continued bit for bit. With its latents at one it is the network of the file. At the start the
// entropy is that of independent normal latents.
func TestPosthocOfONNX(t *testing.T) {
	for name, m := range map[string]*protos.ModelProto{"convolutional": onnxtest.Convolutional(12,
		4), "tokens": onnxtest.Tokens(12, 2)} {
		t.Run(name, func(t *testing.T) {
			parent := importedONNX(t, m, map[string][]int{"convolutional": {3, 1},
				"tokens": {0, 1}}[name])
			cells := testkit.Must(parent.Evaluate(t.Context(), Evaluation{Suite: "fog"}, nil))(t)
			if len(cells) != 6 || cells[0].Error != 0 || cells[0].Samples != 1 {
				t.Errorf("the network has the cells %+v, want no error on its own labels", cells)
			}
			config := testkit.Must(PosthocOf(parent))(t)
			config.Training.Epochs, config.Posterior = 2, Posterior{Mode: Both, InitStd: 0.25}
			whole := openRun(t, filepath.Dir(parent.directory), config)
			want := trainedCard(t, whole)
			history := testkit.Must(whole.History())(t)
			latents := whole.config.Network.Architecture(2).Latents(Both)
			entropy := float64(latents) * 0.5 * math.Log(2*math.Pi*math.E*0.25*0.25)
			if math.Abs(history[0].Entropy-entropy) > 1e-3 || math.Abs(history[0].KL) > 1e-3 {
				t.Errorf("at the start the entropy is %g and KL %g, want %g and 0",
					history[0].Entropy, history[0].KL, entropy)
			}
			near(t, "log-probabilities",
				predicted(t, whole, Evaluation{Latents: OneLatents}).LogProbabilities,
				predicted(t, parent, Evaluation{}).LogProbabilities, 1e-5)
			testkit.NoError(t, os.RemoveAll(whole.directory))
			stopped := openRun(t, filepath.Dir(parent.directory), config)
			stopAt(t, stopped, 3)
			again := testkit.Must(OpenDirectory(stopped.directory))(t)
			equal(t, "weights after a stop", trainedCard(t, again).StateSHA256, want.StateSHA256)
			if data := testkit.Must(os.ReadFile(filepath.Join(again.directory, graphFile)))(
				t); string(data) != string(config.Network.Graph()) {
				t.Error("the run keeps another network than its configuration names")
			}
			checkTuned(t, parent, config)
			exported := filepath.Join(t.TempDir(), "out.onnx")
			testkit.NoError(t, again.Export(t.Context(), exported, ExportOptions{Sampling: true}))
			found, hash, err := ReadExportedConfig(exported)
			if err != nil || hash != again.hash() || found != again.Config() {
				t.Errorf("the export holds %+v of run %q, %v", found, hash, err)
			}
			_, err = ImportONNX(t.Context(), t.TempDir(), config, exported, "", nil)
			testkit.ErrorOf(t, "an export", err, "export that run as NAME.safetensors", "onnx")
			weights := filepath.Join(t.TempDir(), "out.safetensors")
			testkit.NoError(t, again.Export(t.Context(), weights, ExportOptions{}))
			_, metadata, err := safetensors.Read(weights)
			testkit.NoError(t, err)
			equal(t, "the network in the export", metadata[graphFile],
				base64.StdEncoding.EncodeToString(config.Network.Graph()))
			imported := testkit.Must(Import(t.Context(), t.TempDir(), config, weights))(t)
			equal(t, "imported weights", trainedCard(t, imported).WeightsSHA256, want.WeightsSHA256)
			delete(metadata, checksumKey)
			metadata[graphFile] = "AAAA"
			testkit.NoError(t, safetensors.WriteSealed(weights, exportOwner, nil, metadata))
			_, _, err = ReadExportedConfig(weights)
			checkError(t, "another network", err, "has a network that can't be used: onnx: a graph")
		})
	}
}

// A file that isn't there or is none in the ONNX format has no configuration.
func TestConfigOfNoONNXFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.onnx")
	_, _, err := ReadExportedConfig(path)
	testkit.ErrorOf(t, "no file", err, "net.onnx can't be read", "onnx")
	testkit.NoError(t, os.WriteFile(path, []byte("weights"), 0o644))
	_, _, err = ReadExportedConfig(path)
	testkit.ErrorOf(t, "another file", err, "net.onnx isn't an ONNX file", "onnx")
}

// checkTuned trains the weights of a file as well: they fit the images better and better, and
// continue bit for bit.
func checkTuned(t *testing.T, parent *Run, config Config) {
	t.Helper()
	config.Posthoc.FreeWeights, config.Training.LearningRate = true, 0.01
	config.Training.Epochs, config.Posterior.InitStd = 12, 0.05
	run := openRun(t, filepath.Dir(parent.directory), config)
	want := trainedCard(t, run)
	if want.WeightsSHA256 == trainedCard(t, parent).WeightsSHA256 {
		t.Error("free weights are the parent's")
	}
	tuned := testkit.Must(run.History())(t)
	if last := tuned[len(tuned)-1]; last.NLL > tuned[1].NLL-0.02 || last.LearningRate == 0 {
		t.Errorf("free weights begin at the NLL %g and end at %g", tuned[1].NLL, last.NLL)
	}
	testkit.NoError(t, os.RemoveAll(run.directory))
	stopAt(t, run, 3)
	equal(t, "free weights after a stop", trainedCard(t, run).StateSHA256, want.StateSHA256)
	testkit.NoError(t, os.RemoveAll(run.directory))
}

// A network for other classes than those of the data set is refused, and nothing is written.
func TestImportONNXRefuses(t *testing.T) {
	path, runs := filepath.Join(t.TempDir(), "tiny.onnx"), t.TempDir()
	onnxtest.Save(t, path, onnxtest.Convolutional(32, 7))
	_, err := ImportONNX(t.Context(), runs, Config{}, path, "", nil)
	checkError(t, "classes", err, "distinguishes 7 classes, the data set has 10")
	onnxtest.Save(t, path, onnxtest.Convolutional(24, 10))
	_, err = ImportONNX(t.Context(), runs, Config{}, path, "", nil)
	checkError(t, "size", err, "takes images of 24 x 24 pixels, and the data set has 32 x 32")
	if entries, err := os.ReadDir(runs); err != nil || len(entries) > 0 {
		t.Errorf("%v are left (%v)", entries, err)
	}
}

// A file that was exported in training mode predicts as after it, and the card says so.
func TestImportONNXOfATraining(t *testing.T) {
	images := dataset.Images{Height: 12, Width: 12, Pixels: make([]uint8, 20*12*12*3),
		Labels: make([]uint8, 20)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(i * 7)
	}
	images.Labels[0] = 1
	t.Setenv("NBBNN_DATA", t.TempDir())
	testkit.Must(dataset.Add(t.Context(), dataset.Dataset{Name: "stripes", Classes: []string{"a",
		"b"}, Train: images, Test: images}, dataset.AddOptions{}))(t)
	var nll []float64
	for _, training := range []bool{false, true} {
		m := onnxtest.Convolutional(12, 2)
		for _, n := range m.Graph.Node {
			if n.OpType == "BatchNormalization" && training {
				n.Attribute = append(n.Attribute, onnxtest.Int("training_mode", 1))
			}
		}
		path := filepath.Join(t.TempDir(), "tiny.onnx")
		onnxtest.Save(t, path, m)
		run := testkit.Must(ImportONNX(t.Context(), t.TempDir(), Config{Data: Data{Name: "stripes"},
			Training: Training{Batch: 10}, Pixels: dataset.Normalisation{Std: [3]float64{1, 1,
				1}}}, path, "", nil))(t)
		cells := testkit.Must(run.Evaluate(t.Context(), Evaluation{Part: CleanPart}, nil))(t)
		nll = append(nll, cells[0].NLL)
		notes := strings.Join(testkit.Must(run.Card())(t).Notes, "; ")
		if told := strings.Contains(notes, `in training mode (BatchNormalization "/Batch`); told !=
			training {
			t.Errorf("training mode %v: the notes are %s", training, notes)
		}
	}
	if nll[0] != nll[1] {
		t.Errorf("the NLLs are %v, want the same", nll)
	}
}
