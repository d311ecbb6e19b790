package network

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The error of an engine that is out of memory holds the program's estimate and the setting that
// lowers it.
func TestOutOfMemoryNamesTheEstimateAndTheSetting(t *testing.T) {
	const says = "PJRT error (code=8): RESOURCE_EXHAUSTED: Out of memory while trying to " +
		"allocate 12.50GiB.\nBufferAssignment OOM Debugging."
	m := testkit.Must(NewModel(tinySettings(), randomData(16, 8, 10), ModelOptions{}))(t)
	s := testkit.Must(NewStepper(m, randomData(16, 8, 10).Train, StepperOptions{}))(t)
	p := testkit.Must(m.NewPredictor(100, 4, 0))(t)
	for _, test := range []struct {
		name string
		err  error
		want []string
	}{
		{"a step", s.single.explain(errors.New(says)),
			[]string{"a training step of 4 images x 2 samples (it asked for 12.50GiB at once)",
				"smaller batch or fewer samples"}},
		{"a step without a size", s.single.explain(errors.New("CUDA_ERROR_OUT_OF_MEMORY")),
			[]string{"4 images x 2 samples: take a smaller batch"}},
		{"a compiled step", memoryShortage{work: "a step", bytes: 21_300_000_000},
			[]string{"a step, which needs 21.3 GB in all"}},
		{"a prediction", p.program.explain(errors.New(says)),
			[]string{"the prediction of 16 images x 4 samples (it asked for 12.50GiB",
				"fewer samples"}},
		{"another failure", s.single.explain(errors.New("INVALID_ARGUMENT: shapes")),
			[]string{"the engine failed at the training step: INVALID_ARGUMENT"}},
	} {
		for _, want := range test.want {
			if got := test.err.Error(); !strings.Contains(got, want) ||
				strings.Contains(got, "\n") {
				t.Errorf("%s: error %q, want one line with %q", test.name, got, want)
			}
		}
	}
}

// PyTorch predicts as many rows at a time as we do: time and memory are compared for the same work.
func TestPeerPredictsAsManyRows(t *testing.T) {
	script := testkit.Must(os.ReadFile("../../tools/bench/pytorch/evaluate.py"))(t)
	if want := fmt.Sprintf(`ROWS = {"cpu": %d, "cuda": %d}`, predictionRows,
		deviceRows); !strings.Contains(string(script), want) {
		t.Errorf("tools/bench/pytorch/evaluate.py has other numbers of rows, want %s", want)
	}
}
