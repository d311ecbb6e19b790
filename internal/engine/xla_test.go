//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"errors"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// openCPUPlugin skips the test, with a message, if there is no plugin.
func openCPUPlugin(t *testing.T) *Engine {
	t.Helper()
	s := settingsFromEnvironment()
	if _, err := findPlugin(s.plugins, cpuPlugin); err != nil {
		t.Skipf("XLA was not tested: %v", err)
	}
	return testkit.Must(openXLA(s.plugins, cpuPlugin, "", "test"))(t)
}

// convolutionGradients is a convolution and its gradients.
func convolutionGradients(in []*Node) []*Node {
	x, kernel := in[0], in[1]
	y := Convolve(x, kernel).Strides(2).PaddingPerDim([][2]int{{1, 1}, {1, 1}}).Done()
	return append([]*Node{y}, Gradient(ReduceAllSum(Sin(y)), x, kernel)...)
}

func execute(t *testing.T, backend compute.Backend, build func([]*Node) []*Node, inputs ...any) [][]float32 {
	t.Helper()
	execution := testkit.Must(NewExec(backend, build))(t)
	outputs := testkit.Must(execution.Call(inputs...))(t)
	var numbers [][]float32
	for _, output := range outputs {
		numbers = append(numbers, tensors.MustCopyFlatData[float32](output))
	}
	return numbers
}

func waves(dimensions ...int) *tensors.Tensor {
	size := 1
	for _, dimension := range dimensions {
		size *= dimension
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(math.Sin(float64(i*i) * 0.7))
	}
	return tensors.FromFlatDataAndDimensions(values, dimensions...)
}

func TestXLAAgreesWithPureGo(t *testing.T) {
	xla := openCPUPlugin(t)
	pureGo := testkit.Must(openGo("", "", "test"))(t)
	want := execute(t, pureGo.Backend, convolutionGradients, waves(2, 9, 9, 3), waves(3, 3, 3, 8))
	got := execute(t, xla.Backend, convolutionGradients, waves(2, 9, 9, 3), waves(3, 3, 3, 8))
	const tolerance = 2e-5
	for i := range want {
		for at := range want[i] {
			if difference := math.Abs(float64(got[i][at] - want[i][at])); !(difference <= tolerance) {
				t.Fatalf("output %d [%d]: got %v, want %v: difference %.1e, tolerance %.0e", i, at, got[i][at], want[i][at], difference, tolerance)
			}
		}
	}
}

func TestXLADrawsNormalNumbers(t *testing.T) {
	xla := openCPUPlugin(t)
	state := testkit.Must(RNGStateFromSeed(1))(t)
	const count = 20000
	numbers := execute(t, xla.Backend, func(in []*Node) []*Node {
		_, normal := RandomNormal(in[0], shapes.Make(dtypes.Float32, count))
		return []*Node{normal}
	}, state)[0]
	var sum, squares float64
	for _, number := range numbers {
		sum += float64(number)
		squares += float64(number) * float64(number)
	}
	mean, variance := sum/count, squares/count
	if math.Abs(mean) > 0.03 || math.Abs(variance-1) > 0.05 {
		t.Errorf("got mean %.3f and variance %.3f, want 0 and 1 within 0.03 and 0.05", mean, variance)
	}
}

func TestToldIsOneLineWithoutThePath(t *testing.T) {
	for says, want := range map[string]string{
		"while creating plugin /p.so for backend \"xla\": PJRT error (code=9): No visible GPU devices.": "PJRT error (code=9): No visible GPU devices",
		"the plugin\n\tcan't be opened": "the plugin can't be opened",
	} {
		if got := told(errors.New(says)); got != want {
			t.Errorf("told(%q) = %q, want %q", says, got, want)
		}
	}
}
