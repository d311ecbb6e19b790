package gpu

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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

// The page names the version of the plugin that plugin.txt pins, and no other.
func TestPageNamesThePinnedPlugin(t *testing.T) {
	pinned, err := os.ReadFile("plugin.txt")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`^jax-cuda\d+-pjrt==(\S+)`).FindSubmatch(pinned)
	named := regexp.MustCompile(`JAX (\d[\d.]*\d)`).FindAllSubmatch(page, -1)
	if version == nil || len(named) == 0 {
		t.Fatalf("plugin.txt pins %q, the page names %d versions of JAX", version, len(named))
	}
	for _, name := range named {
		if string(name[1]) != string(version[1]) {
			t.Errorf("the page names JAX %s, plugin.txt pins %s: repeat what the page says with that, then name it", name[1], version[1])
		}
	}
}

// A program of one step has no loop: that is one line, not a traceback.
func TestPlanWithoutALoop(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	command := exec.Command(python, "-c", "import plan; plan.step_of({'main': [('out', 'f32[]', 'add', '%a, %b')]})")
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	said, err := command.CombinedOutput()
	if err == nil || strings.Count(string(said), "\n") != 1 || !strings.Contains(string(said), "--steps 2 or more") {
		t.Errorf("a program without a loop ends with %v: %s", err, said)
	}
}

// A step of a narrow ResNet18 moves no more bytes on a described H200 than it did when this was
// written, and has its 59 convolutions: 20 of the forward pass, 20 kernel and 19 input gradients.
func TestPlanOfAStep(t *testing.T) {
	python := os.Getenv("NBBNN_PLAN_PYTHON")
	if python == "" {
		t.Skip("the plan of an H200 was not tested: NBBNN_PLAN_PYTHON names a Python with jax[cuda13], which plan.py uses")
	}
	for _, c := range []struct {
		precision string
		most      int
	}{{"float32", 23_100_000}, {"bfloat16", 12_200_000}} {
		folder := t.TempDir()
		write := exec.Command("go", "run", "../bench", "program", "--network", "resnet18", "--width", "4", "--images", "8",
			"--samples", "1", "--steps", "2", "--precision", c.precision, "--out", folder)
		if said, err := write.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c.precision, err, said)
		}
		said, err := exec.Command(python, filepath.Join(".", "plan.py"), folder).Output()
		var got plan
		if err != nil || json.Unmarshal(said, &got) != nil {
			t.Fatalf("%s: %v: %s", c.precision, err, said)
		}
		t.Logf("%s: %+v", c.precision, got)
		if got.Convolutions != 59 || got.Bytes > c.most {
			t.Errorf("%s: %d convolutions and %d bytes, want 59 and at most %d", c.precision, got.Convolutions, got.Bytes, c.most)
		}
	}
}
