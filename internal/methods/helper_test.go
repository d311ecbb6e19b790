package methods

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
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
	m, s = Apply(m, s, "")
	s = s.WithDefaults()
	testkit.NoError(t, Validate(m, s, ""))
	return m, s
}

// testStepper trains a method on the test data.
func testStepper(t testing.TB, m Method, s network.Settings) *network.Stepper {
	t.Helper()
	m, s = applied(t, m, s)
	data := testData()
	built := testkit.Must(network.NewModel(s, data,
		network.ModelOptions{Noise: network.HostNoise}))(t)
	return testkit.Must(network.NewStepper(built, data.Train,
		Training(m, s, data.Train.Count())))(t)
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

// stepSettings are test settings whose decay and rate show in one step.
func stepSettings() network.Settings {
	settings := testSettings()
	settings.Training.LearningRate, settings.Training.WeightDecay = 0.1, 0.2
	return settings
}

// parameters are values of theta, or of a buffer of theta, by the name of the parameter.
type parameters map[string][]float64

// names returns the names in one order.
func (p parameters) names() []string { return slices.Sorted(maps.Keys(p)) }

// with returns the values that a function makes of those of the same name and place.
func (p parameters) with(other parameters, value func(name string, mine,
	others float64) float64) parameters {
	changed := parameters{}
	for name, values := range p {
		for i, x := range values {
			changed[name] = append(changed[name], value(name, x, other[name][i]))
		}
	}
	return changed
}

// parametersOf returns the variables with a prefix: theta or a buffer.
func parametersOf(variables []network.Tensor, prefix string) parameters {
	found := parameters{}
	for name, values := range valuesOf(variables) {
		if rest, is := strings.CutPrefix(name, prefix+"."); is {
			found[rest] = values
		}
	}
	return found
}

// stateOf returns the state of a stepper.
func stateOf(t testing.TB, s *network.Stepper) network.State {
	t.Helper()
	return testkit.Must(s.State())(t)
}

// startAt gives a stepper other weights and a position.
func startAt(t testing.TB, s *network.Stepper, theta parameters, position network.Position) {
	t.Helper()
	state := stateOf(t, s)
	state.Position = position
	for i, tensor := range state.Variables {
		values, found := theta[strings.TrimPrefix(tensor.Name, thetaPrefix)]
		if !found || !strings.HasPrefix(tensor.Name, thetaPrefix) {
			continue
		}
		single := make([]float32, len(values))
		for k, x := range values {
			single[k] = float32(x)
		}
		state.Variables[i] = safetensors.FromFloats(tensor.Name, single, tensor.Shape...)
	}
	testkit.NoError(t, s.SetState(state))
}

// stepFrom returns the weights and the buffer after a step from rest, at a position.
func stepFrom(
	t testing.TB, s *network.Stepper, theta parameters, position network.Position,
) (next, momentum parameters) {
	t.Helper()
	startAt(t, s, theta, position)
	testkit.Must(s.Step(t.Context()))(t)
	variables := stateOf(t, s).Variables
	return parametersOf(variables, "theta"), parametersOf(variables, "momentum")
}

// gradientsAt returns the gradients of a step's images at some weights: what a step of MAP from
// rest leaves in the momentum, without the decay.
func gradientsAt(t testing.TB, settings network.Settings, theta parameters,
	position network.Position) parameters {
	t.Helper()
	_, momentum := stepFrom(t, testStepper(t, Method{Name: baseline.MAP}, settings), theta,
		position)
	decay := settings.Training.WeightDecay
	return momentum.with(theta, func(_ string, m, w float64) float64 { return m - decay*w })
}

// normalsAt returns the normal numbers of a step, which a rule of its own writes into theta.
func normalsAt(t testing.TB, settings network.Settings, position network.Position) parameters {
	t.Helper()
	_, settings = applied(t, Method{Name: baseline.MAP}, settings)
	data := testData()
	built := testkit.Must(network.NewModel(settings, data,
		network.ModelOptions{Noise: network.HostNoise}))(t)
	rule := network.Nesterov()
	rule.Normals = 1
	rule.Update = func(s *network.StepGraph) {
		s.Loss(nil)
		for _, p := range s.Theta {
			s.Set(p, s.Normals(p))
		}
	}
	s := testkit.Must(network.NewStepper(built, data.Train, network.StepperOptions{Rule: rule}))(t)
	drawn, _ := stepFrom(t, s, nil, position)
	return drawn
}

// nesterovFrom returns the weights and the momentum after a step from rest along gradients.
func nesterovFrom(settings network.Settings, theta, gradients parameters) (next,
	momentum parameters) {
	training := settings.WithDefaults().Training
	momentum = gradients.with(theta, func(_ string, g, w float64) float64 {
		return g + training.WeightDecay*w
	})
	next = theta.with(momentum, func(_ string, w, m float64) float64 {
		return w - training.LearningRate*(1+training.Momentum)*m
	})
	return next, momentum
}

// nearParameters compares values up to a share of the largest of each parameter.
func nearParameters(t testing.TB, what string, got, want parameters, share float64) {
	t.Helper()
	if !slices.Equal(got.names(), want.names()) || len(want) == 0 {
		t.Fatalf("%s: parameters %v, want %v", what, got.names(), want.names())
	}
	for _, name := range want.names() {
		largest := 0.0
		for _, x := range want[name] {
			largest = max(largest, math.Abs(x))
		}
		testkit.Near(t, what+" "+name, got[name], want[name], share*largest+1e-7)
	}
}

// ascentFrom returns the weights after the ascent along gradients.
func ascentFrom(t testing.TB, theta, gradients parameters, rho float64, adaptive bool) parameters {
	t.Helper()
	var args [][]float64
	names := theta.names()
	for _, all := range []parameters{theta, gradients} {
		for _, name := range names {
			args = append(args, all[name])
		}
	}
	moves := parameters{}
	for i, move := range run(t, func(nodes []*Node) []*Node {
		return ascent(nodes[:len(names)], nodes[len(names):], rho, adaptive)
	}, args...) {
		moves[names[i]] = move
	}
	return theta.with(moves, func(_ string, w, move float64) float64 { return w + move })
}
