package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute-onnx/support/protos"

	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// A network in the ONNX format becomes a run with a test, and leaves again. What goes with other
// files only is refused, and a file of others isn't replaced.
func TestWeightsOfONNX(t *testing.T) {
	folder, runs := t.TempDir(), t.TempDir()
	path, out := filepath.Join(folder, "tiny.onnx"), filepath.Join(folder, "out.onnx")
	onnxtest.Save(t, path, onnxtest.Convolutional(32, 10))
	data := []string{"--data", "shapes10", "--train", "40", "--test", "20", "--runs", runs}
	imported := []string{"weights", "import", path}
	wantTexts(t, exitDone, []string{"5 layers that may have latents",
		"where a guess is on 90 %: check --normalisation", "tested   NLL"},
		append(append(imported, "--normalisation", "clip", "--channels", "bgr", "--name", "tiny"),
			data...)...)
	wantStatus(t, exitDone, "", "evaluate", "tiny", "--suite", "fog", "--images", "8", "--runs",
		runs)
	wantStatus(t, exitDone, "wrote    "+out, "weights", "export", "tiny", out, "--runs", runs)
	wantStatus(t, exitFailed, "has no noise to draw: leave --sampling out", "weights", "export",
		"tiny", out, "--sampling", "--runs", runs)
	wantStatus(t, exitDone, "tiny %", "predict", "tiny", filepath.Join("..", "..", "docs", "images",
		"answers.png"), "--out", folder, "--runs", runs)
	wantStatus(t, exitFailed, "export that run as NAME.safetensors",
		append([]string{"weights", "import", out}, data...)...)
	other := testkit.Must(os.ReadFile(path))(t)
	for _, c := range []struct{ line, want string }{
		{"weights export tiny " + path + " --runs " + runs, "exists and isn't an export of run"},
		{"weights export tiny " + out + " --latents mean --runs " + runs,
			"leave --sample, --latents and --layout out"},
		{"weights export tiny x.txt --runs " + runs, "NAME.safetensors for the weights, NAME.onnx"},
		{"weights export tiny x.safetensors --sampling --runs " + runs,
			"--sampling needs a file in the ONNX format"},
		{"weights import x.safetensors --channels bgr", "--channels needs a file in the ONNX " +
			"format"},
		{"weights import " + path, "doesn't say which images it was trained on: give --data"},
		{"weights import " + path + " --data shapes10 --network resnet18",
			"--network doesn't go with " + path},
		{"weights import " + path + " --data shapes10 --preset allcnnc-shapes10",
			"leave --config, --preset and --compress out"},
	} {
		wantStatus(t, exitUsage, c.want, strings.Fields(c.line)...)
	}
	wantStatus(t, exitFailed, `unknown order of channels "red"`,
		append(append(imported, "--channels", "red"), data...)...)
	if again := testkit.Must(os.ReadFile(path))(t); string(again) != string(other) {
		t.Error("the file of others was replaced")
	}
}

// Files with one label are seeds of one method, and so are noises on them, which are compared
// within seeds. Their records are verified once the file is imported again.
func TestSeedsOfONNX(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	folder, runs, again := t.TempDir(), t.TempDir(), t.TempDir()
	drawFolder(t, folder, 12)
	wantStatus(t, exitDone, "", "data", "add", "sides", folder, "--size", "8")
	for seed := range 2 {
		b := onnxtest.New(8)
		w := b.Weight("sides.weight", 0, 0.1/float64(1+seed), 2, 3, 8, 8)
		for i := range b.Model.Graph.Initializer[0].FloatData {
			if isRight, ofRight := i%8 >= 4, i >= 3*8*8; isRight == ofRight {
				b.Model.Graph.Initializer[0].FloatData[i] += 0.1
			}
		}
		logits := b.Node("Flatten", []string{b.Node("Conv", []string{"input", w})},
			onnxtest.Int("axis", 1))
		b.Model.Graph.Output = []*protos.ValueInfoProto{onnxtest.Value(logits, -1, 2)}
		path := filepath.Join(folder, "sides.onnx")
		onnxtest.Save(t, path, b.Model)
		name, number := fmt.Sprintf("plain-%d", seed), fmt.Sprint(seed)
		load := []string{"weights", "import", path, "--data", "sides", "--seed", number, "--name",
			name, "--runs"}
		wantStatus(t, exitDone, "", append(load, runs)...)
		noisy := cardOf(t, "posthoc", "--from", name, "--epochs", "0", "--name", "noisy-"+number,
			"--runs", runs).Run
		record := recordOf(t, testkit.Must(nbbnn.OpenDirectory(filepath.Join(runs, noisy)))(t))
		wantStatus(t, exitFailed, "imported from sides.onnx, which "+again+" lacks: `nbbnn "+
			"weights import FILE`", "verify", record, "--runs", again)
		wantStatus(t, exitDone, "", append(load, again)...)
		wantStatus(t, exitDone, ": equal: ", "verify", record, "--runs", again)
	}
	wantTexts(t, exitDone, []string{"2 of plain: ", "2 of noisy: ", "minus plain",
		"!imported file"}, "compare", "--label", "plain*=plain", "--baseline", "plain",
		"--runs", runs)
}
