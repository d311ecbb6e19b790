package baseline

import (
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// run computes a graph of vectors of float64 and returns its outputs.
func run(t testing.TB, build func(args []*Node) []*Node, args ...[]float64) [][]float64 {
	t.Helper()
	e := testkit.Must(engine.Open())(t)
	exec := testkit.Must(NewExec(e.Backend, build))(t)
	inputs := make([]any, len(args))
	for i, arg := range args {
		inputs[i] = arg
	}
	outputs := testkit.Must(exec.Call(inputs...))(t)
	values := make([][]float64, len(outputs))
	for i, output := range outputs {
		values[i] = testkit.Must(tensors.CopyFlatData[float64](output))(t)
	}
	return values
}

var near = testkit.Near

// oracle reads one of the optimisers of the numeric oracles.
func oracle[T any](t testing.TB, name string) T {
	t.Helper()
	return testkit.Oracle[T](t, "optimisers", name)
}

// testSettings are those of a tiny network with batch normalisation and no latents: 2 epochs of 4
// steps on 16 images.
func testSettings() network.Settings {
	return network.Settings{
		Network:   network.Network{Name: "resnet18", Width: 2},
		Posterior: network.Posterior{Mode: network.Deterministic},
		Training:  network.Training{Epochs: 2, Batch: 4, LearningRate: 0.01},
		Seed:      5,
	}
}

// testData returns sixteen random images of 8 by 8 pixels.
func testData() *dataset.Dataset {
	random := rand.New(rand.NewPCG(37, 38))
	const count, side, classes = 16, 8, 10
	images := dataset.Images{Height: side, Width: side}
	for range count * side * side * 3 {
		images.Pixels = append(images.Pixels, uint8(random.IntN(256)))
	}
	for range count {
		images.Labels = append(images.Labels, uint8(random.IntN(classes)))
	}
	return &dataset.Dataset{
		Name: "random", Classes: make([]string, classes), Train: images, Test: images,
		Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.29, 0.29, 0.29},
	}
}

// applied returns a method with its defaults and filled settings.
func applied(t testing.TB, m Method, s network.Settings) (Method, network.Settings) {
	t.Helper()
	m, s = m.Apply(s, "")
	s = s.WithDefaults()
	testkit.NoError(t, m.Validate(s, ""))
	return m, s
}

// testStepper trains a method on the test data.
func testStepper(t testing.TB, m Method, s network.Settings) *network.Stepper {
	t.Helper()
	m, s = applied(t, m, s)
	data := testData()
	built := testkit.Must(network.NewModel(s, data, network.ModelOptions{Noise: network.HostNoise}))(t)
	return testkit.Must(network.NewStepper(built, data.Train, m.Training(s, data.Train.Count())))(t)
}

// valuesAfter returns the variables of a stepper after a number of steps, by name.
func valuesAfter(t testing.TB, s *network.Stepper, steps int) map[string][]float64 {
	t.Helper()
	for range steps {
		testkit.Must(s.Step(t.Context()))(t)
	}
	return valuesOf(testkit.Must(s.State())(t).Variables)
}

// valuesOf returns the values of tensors of float32, by name.
func valuesOf(all []network.Tensor) map[string][]float64 {
	values := map[string][]float64{}
	for _, tensor := range all {
		values[tensor.Name] = testkit.Flatten(tensor.Floats())
	}
	return values
}
