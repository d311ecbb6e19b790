package gpu

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// plan is what plan.py prints.
type plan struct{ Kernels, Convolutions, Bytes int }

// planned is a program as XLA prints it: a loop over steps with five kernels.
const planned = `
%commands (p.1: f32[4,2]) -> f32[4,2] {
  %p.1 = f32[4,2]{1,0} parameter(0)
  ROOT %fusion.1 = f32[4,2]{1,0} fusion(%p.1, %p.1), kind=kLoop, calls=%fused
}

%sliced (p.2: f32[4,2], p.3: f32[4,2]) -> f32[4,2] {
  %p.2 = f32[4,2]{1,0} parameter(0)
  %p.3 = f32[4,2]{1,0} parameter(1)
  %pixel = f32[1,2]{1,0} slice(%p.3), slice={[1:2], [0:2]}
  ROOT %sum = f32[4,2]{1,0} add(%p.2, %pixel)
}

%body (state: (s32[], f32[4,2], u8[9])) -> (s32[], f32[4,2], u8[9]) {
  %state = (s32[], f32[4,2]{1,0}, u8[9]{0}) parameter(0)
  %x = f32[4,2]{1,0} get-tuple-element(%state), index=1
  %images = u8[9]{0} get-tuple-element(%state), index=2
  %conv = (bf16[4,2]{1,0}, u8[64]{0}) custom-call(%x, %images), custom_call_target="__cudnn$convForward"
  %half = bf16[4,2]{1,0} get-tuple-element(%conv), index=0
  %y = f32[4,2]{1,0} call(%x), to_apply=%commands
  %scratch = (f32[4,2]{1,0}, s8[64]{0}) custom-call(%y), custom_call_target="__cublas$lt$matmul"
  %z = f32[4,2]{1,0} fusion(%y, %x), kind=kLoop, calls=%sliced
  %both = f32[4,2]{1,0} fusion(%x, %x), kind=kLoop, calls=%sliced
  ROOT %out = (s32[], f32[4,2]{1,0}, u8[9]{0}) tuple(%x, %z, %images)
}

ENTRY %main (a: f32[4,2]) -> f32[4,2] {
  %a = f32[4,2]{1,0} parameter(0)
  %loop = (s32[], f32[4,2]{1,0}, u8[9]{0}) while(%a), condition=%test, body=%body
}
`

// The counts are those of the largest loop, with what it calls. A tuple, images and the workspace
// of a matrix product count for nothing.
func TestPlanCountsTheLoop(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	command := exec.Command(python, "-c", `import json, sys, plan
found = plan.computations(sys.argv[1])
counts = plan.count(found, plan.step_of(found))
print(json.dumps(dict(zip(('Kernels', 'Convolutions', 'Bytes'), counts))))`, planned)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	said, err := command.CombinedOutput()
	var got plan
	if err != nil || json.Unmarshal(said, &got) != nil {
		t.Fatalf("%v: %s", err, said)
	}
	// The call's argument is read once, of a slice's argument only the slice, and an argument that
	// one place slices and the other takes in full is read in full, once.
	want := plan{5, 1, (32 + 16) + (32 + 32) + (32 + 32) + (32 + 8 + 32) + (32 + 32)}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// saved is the plan that XLA made of a step of All-CNN-C in bfloat16, of width 4 with 4 images and
// 2 samples, as `plan.py --save` wrote it.
const saved = "testdata/allcnnc.hlo.gz"

// The counts of a plan that XLA wrote are held. Its 23 convolutions are 8 of the forward pass, 8
// kernel and 7 input gradients. What is planted changes the counts by what it is, so a larger
// array, a kernel more and a convolution less would be seen.
func TestPlanOfASavedStepIsHeld(t *testing.T) {
	want := plan{Kernels: 105, Convolutions: 23, Bytes: 4_250_692}
	const output, first = "  %cudnn-conv.9 = (bf16[4,32,32,4]", "__cudnn$convForward"
	for _, c := range []struct {
		name, old, new string
		change         plan
	}{
		{name: "as XLA wrote it"},
		{"an output in float32", output, strings.Replace(output, "bf16", "f32", 1),
			plan{Bytes: 4 * 32 * 32 * 4 * 2}},
		{"a copy more", output, "  %planted = f32[256]{0} copy(%loop_convert_fusion.8)\n" + output,
			plan{Kernels: 1, Bytes: 256*4 + 4*32*32*3*2}},
		{"a convolution less", first, "__cublas$lt$matmul", plan{Convolutions: -1}},
	} {
		text := planText(t, saved)
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s: the plan has no %q", c.name, c.old)
		}
		got := countedPlan(t, compressedPlan(t, strings.Replace(text, c.old, c.new, 1)))
		c.change = plan{want.Kernels + c.change.Kernels, want.Convolutions + c.change.Convolutions,
			want.Bytes + c.change.Bytes}
		if got != c.change {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.change)
		}
	}
}

// planText reads a plan that plan.py saved.
func planText(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compressedPlan writes a plan as plan.py saves it, and returns its path.
func compressedPlan(t *testing.T, text string) string {
	t.Helper()
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	if _, err := io.WriteString(writer, text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.hlo.gz")
	if err := os.WriteFile(path, compressed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// countedPlan runs plan.py on a saved plan, for which any python3 will do.
func countedPlan(t *testing.T, arguments ...string) (got plan) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here: the plan of a saved step was not counted")
	}
	command := exec.Command(python, append([]string{"plan.py"}, arguments...)...)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	said, err := command.CombinedOutput()
	if err != nil || json.Unmarshal(said, &got) != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return got
}

// The limit of bytes sets the exit status, and what isn't a plan is one line.
func TestPlanEndsWithItsLimit(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	for _, c := range []struct {
		arguments []string
		status    int
		says      string
	}{
		{[]string{saved, "4250692"}, 0, `"bytes": 4250692`},
		{[]string{saved, "4250691"}, 1, `"bytes": 4250692`},
		{[]string{"plugin.txt"}, 1, "plan.py: plugin.txt is neither a folder with program.mlir " +
			"nor a plan that --save wrote"},
		{[]string{"nowhere"}, 1, "plan.py: nowhere is neither a folder with program.mlir nor a " +
			"plan that --save wrote"},
	} {
		command := exec.Command(python, append([]string{"plan.py"}, c.arguments...)...)
		command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		said, _ := command.CombinedOutput()
		if status := command.ProcessState.ExitCode(); status != c.status ||
			strings.Count(string(said), "\n") != 1 || !strings.Contains(string(said), c.says) {
			t.Errorf("%v: status %d, want %d with %q: %s", c.arguments, status, c.status, c.says,
				said)
		}
	}
}

// The page, that on installing, plan.txt and the image for GPUs name the version of the plugin that
// plugin.txt pins, and no other.
func TestPageNamesThePinnedPlugin(t *testing.T) {
	pinned, err := os.ReadFile("plugin.txt")
	if err != nil {
		t.Fatal(err)
	}
	var pages []byte
	for _, name := range []string{"README.md", "../../docs/install.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page...)
	}
	for _, name := range []string{"plan", "../../docker/cuda"} {
		if packages, err := os.ReadFile(name + ".txt"); err != nil ||
			!bytes.Contains(packages, bytes.Fields(pinned)[0]) {
			t.Errorf("%s.txt doesn't pin the plugin of plugin.txt, %s (%v): name it in %[1]s.in, "+
				"then `make lock`", name, bytes.Fields(pinned)[0], err)
		}
	}
	version := regexp.MustCompile(`^jax-cuda\d+-pjrt==(\S+)`).FindSubmatch(pinned)
	named := regexp.MustCompile(`JAX (\d[\d.]*\d)`).FindAllSubmatch(pages, -1)
	if version == nil || len(named) == 0 {
		t.Fatalf("plugin.txt pins %q, the pages name %d versions of JAX", version, len(named))
	}
	for _, name := range named {
		if string(name[1]) != string(version[1]) {
			t.Errorf("a page names JAX %s, plugin.txt pins %s: repeat what the page says with "+
				"that, then name it", name[1], version[1])
		}
	}
}

// A program of one step has no loop: that is one line, not a traceback.
func TestPlanWithoutALoop(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	command := exec.Command(python, "-c", "import plan; plan.step_of({'main': [('out', 'f32[]', "+
		"'add', '%a, %b')]})")
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	said, err := command.CombinedOutput()
	if err == nil || strings.Count(string(said), "\n") != 1 ||
		!strings.Contains(string(said), "--steps 2 or more") {
		t.Errorf("a program without a loop ends with %v: %s", err, said)
	}
}

var stepsFolder = flag.String("steps", "", "folder in which TestPlanOfAStep leaves its last "+
	"program")

// writeSteps writes two training steps of a network to program.mlir, as XLA gets them for a device.
func writeSteps(t *testing.T, folder string, settings network.Settings) {
	t.Helper()
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10,
		TrainCount: 2 * settings.Training.Batch, TestCount: 10}))(t)
	options := network.ModelOptions{Engine: testkit.Must(engine.OpenNamed("xla:cpu"))(t),
		Noise: network.DeviceNoise}
	m := testkit.Must(network.NewModel(settings.WithDefaults(), data, options))(t)
	steps := testkit.Must(network.NewStepper(m, data.Train,
		network.StepperOptions{StepsPerCall: 2}))(t)
	text := compiled(t, func() error { _, err := steps.Step(t.Context()); return err })
	testkit.NoError(t, errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "program.mlir"), []byte(text), 0o644)))
}

// compiled returns the StableHLO program that XLA compiles in a call, which go-xla writes to its
// log at level 2.
func compiled(t *testing.T, call func() error) string {
	t.Helper()
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(flags)
	var log bytes.Buffer
	klog.SetOutput(&log)
	for _, f := range [][2]string{{"logtostderr", "false"}, {"stderrthreshold", "FATAL"},
		{"v", "2"}} {
		testkit.NoError(t, flags.Set(f[0], f[1]))
	}
	testkit.NoError(t, call())
	klog.Flush()
	testkit.NoError(t, flags.Set("v", "0"))
	_, text, _ := strings.Cut(log.String(), "StableHLO program:\n")
	text, _, found := strings.Cut(text, "\n}\n")
	if !found {
		t.Fatal("XLA compiled no program")
	}
	return text + "\n}\n"
}

// A step of ResNet18 moves no more bytes on a described H200 than it did when this was written, and
// has its 59 convolutions: 20 of the forward pass, 20 kernel and 19 input gradients. The narrow one
// shows small arrays, which the wider one hides: sampling the latents of all layers in one
// operation took 1.5 MB more of it in float32, and less than 0.3 % either way of the wider one.
func TestPlanOfAStep(t *testing.T) {
	python := os.Getenv("NBBNN_PLAN_PYTHON")
	if python == "" && *stepsFolder == "" {
		t.Skip("the plan of an H200 was not tested: `make test-plan` does, with JAX and its CUDA " +
			"plugin")
	}
	for _, c := range []struct {
		precision              string
		width, images, samples int
		most                   int
	}{
		{"float32", 4, 8, 1, 24_500_000},
		{"bfloat16", 4, 8, 1, 12_300_000},
		{"bfloat16", 16, 32, 4, 681_000_000},
	} {
		folder := cmp.Or(*stepsFolder, t.TempDir())
		writeSteps(t, folder, network.Settings{
			Network: network.Network{Name: "resnet18", Width: c.width,
				Precision: c.precision},
			Training: network.Training{Batch: c.images, Samples: c.samples},
		})
		if python == "" {
			continue
		}
		said, err := exec.Command(python, "plan.py", folder).Output()
		var got plan
		if err != nil || json.Unmarshal(said, &got) != nil {
			t.Fatalf("%s: %v: %s", c.precision, err, said)
		}
		t.Logf("%s of width %d: %+v", c.precision, c.width, got)
		if got.Convolutions != 59 || got.Bytes > c.most {
			t.Errorf("%s of width %d: %d convolutions and %d bytes, want 59 and at most %d",
				c.precision, c.width, got.Convolutions, got.Bytes, c.most)
		}
	}
}
