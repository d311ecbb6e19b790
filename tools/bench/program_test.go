package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// The program that is written has an argument for each tensor, and a finite loss of pure Go for
// each step.
func TestXLAProgramIsWritten(t *testing.T) {
	if _, err := engine.OpenNamed("xla:cpu"); err != nil {
		t.Skipf("the program of XLA was not tested: %v", err)
	}
	out := filepath.Join(t.TempDir(), "program")
	if _, stderr, status := execute(t, "program", "--width", "2", "--images", "4", "--samples", "1", "--steps", "3", "--out", out); status != commandline.Done {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	text, err := os.ReadFile(filepath.Join(out, "program.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	tensors, _, err := safetensors.Read(filepath.Join(out, "arguments.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	main := regexp.MustCompile(`(?s)func\.func (?:public )?@main\((.*?)\) ->`).FindSubmatch(text)
	if main == nil {
		t.Fatalf("the program has no function main:\n%.1000s", text)
	}
	if got := len(regexp.MustCompile(`%\w+:`).FindAll(main[1], -1)); got != len(tensors) || got == 0 {
		t.Errorf("main has %d arguments, and %d tensors are written", got, len(tensors))
	}
	data, err := os.ReadFile(filepath.Join(out, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected expectedResult
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	if expected.Steps != 3 || len(expected.Losses) != 3 || expected.Tolerance <= 0 {
		t.Errorf("expected.json has %+v, want 3 steps with a loss each", expected)
	}
	for step, loss := range expected.Losses {
		if math.IsNaN(loss) || math.IsInf(loss, 0) || loss <= 0 {
			t.Errorf("the loss of step %d is %g", step, loss)
		}
	}
}
