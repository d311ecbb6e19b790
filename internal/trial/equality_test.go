package trial

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// equality is whether two sets of kernels train the same weights and predict the same bits.
type equality struct {
	first, second executor.Choice
	equal         bool
	row           string // of the table in docs/numbers.md
}

var equalities = []equality{
	{executor.AVX512, executor.AVX2, true,
		"| AVX2 and AVX-512 kernels, same program | **equal** |"},
	{executor.AVX2, executor.Portable, false, "| assembly and portable kernels | differ |"},
	{executor.Portable, executor.Off, false, "| kernels and GoMLX's own executors | differ |"},
}

// trainedSteps is enough for momentum, running statistics and the posterior to take part.
const trainedSteps = 3

// equalityWorkloads are small networks of all kinds, with noise on all sides, and wide ones whose
// kernel gradients are sums of fewer parts. Their widths aren't whole vectors of AVX-512.
func equalityWorkloads() (all []Workload) {
	for _, c := range []struct {
		name  string
		width int
		mode  network.Mode
		batch int
	}{
		{"allcnnc", 8, network.Both, 4}, {"vgg16", 8, network.Output, 4},
		{"resnet18", 8, network.Input, 4},
		{"preactresnet18", 8, network.Output, 4}, {"allcnnc", 60, network.Both, 8},
		{"allcnnc", 100, network.Both, 8},
	} {
		all = append(all, Workload{Height: 32, Classes: 10, Settings: network.Settings{
			Network: network.Network{Name: c.name, Width: c.width}, Posterior: network.Posterior{
				Mode: c.mode, Components: 2},
			Training: network.Training{Batch: c.batch, Samples: 2, LearningRate: 0.01},
		}}.WithDefaults())
	}
	return all
}

func TestKernelsAreEqualWhereThePageSaysSo(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/numbers.md"))(t)
	t.Cleanup(func() { // other tests use the kernels of the environment
		if _, err := engine.OpenNamed("go"); err != nil {
			t.Error(err)
		}
	})
	for _, e := range equalities {
		t.Run(fmt.Sprintf("%s and %s", e.first, e.second), func(t *testing.T) {
			if !strings.Contains(string(page), e.row) {
				t.Errorf("docs/numbers.md has no row %s", e.row)
			}
			workloads := equalityWorkloads()
			if !e.equal {
				workloads = workloads[:1] // one is enough, and GoMLX's own executors are slow
			}
			for _, w := range workloads {
				equal := slices.EqualFunc(w.trained(t, e.first), w.trained(t, e.second),
					bytes.Equal)
				if equal != e.equal {
					t.Errorf("%s of width %d: equal bits are %t, docs/numbers.md says %t",
						w.Settings.Network.Name, w.Settings.Network.Width, equal, e.equal)
				}
			}
		})
	}
}

// trained returns the bytes of all variables after some steps with a set of kernels, and of
// predictions. It skips the test if the processor doesn't have the kernels.
func (w Workload) trained(t *testing.T, choice executor.Choice) (all [][]byte) {
	t.Helper()
	t.Setenv(executor.Setting, string(choice))
	opened := testkit.Must(engine.OpenNamed("go"))(t)
	if choice != executor.Off && !strings.Contains(opened.Name, "kernels") {
		t.Skipf("no %s kernels here, so they were not compared: %s", choice,
			strings.Join(opened.Advice, "; "))
	}
	m := testkit.Must(network.NewModel(w.Settings, w.data(), network.ModelOptions{Engine: opened}))(
		t)
	s := testkit.Must(network.NewStepper(m, w.data().Train, network.StepperOptions{}))(t)
	testkit.Must(takeSteps(t.Context(), s, trainedSteps))(t)
	state := testkit.Must(s.State())(t)
	for _, tensor := range state.Variables {
		all = append(all, tensor.Data)
	}
	logs := testkit.Must(predictions(t.Context(), m, w.data().Test))(t)
	all = append(all, fmt.Append(nil, logs))
	t.Logf("%s of width %d, %s: sha256 %.16x", w.Settings.Network.Name, w.Settings.Network.Width,
		opened.Name, sha256.Sum256(bytes.Join(all, nil)))
	return all
}
