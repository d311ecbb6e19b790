package baseline

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

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
func (p parameters) with(other parameters, value func(name string, mine, others float64) float64) parameters {
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
func gradientsAt(t testing.TB, settings network.Settings, theta parameters, position network.Position) parameters {
	t.Helper()
	_, momentum := stepFrom(t, testStepper(t, Method{Name: MAP}, settings), theta, position)
	decay := settings.Training.WeightDecay
	return momentum.with(theta, func(_ string, m, w float64) float64 { return m - decay*w })
}

// normalsAt returns the normal numbers of a step, which a rule of its own writes into theta.
func normalsAt(t testing.TB, settings network.Settings, position network.Position) parameters {
	t.Helper()
	_, settings = applied(t, Method{Name: MAP}, settings)
	data := testData()
	built := testkit.Must(network.NewModel(settings, data, network.ModelOptions{Noise: network.HostNoise}))(t)
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
func nesterovFrom(settings network.Settings, theta, gradients parameters) (next, momentum parameters) {
	training := settings.WithDefaults().Training
	momentum = gradients.with(theta, func(_ string, g, w float64) float64 { return g + training.WeightDecay*w })
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
		near(t, what+" "+name, got[name], want[name], share*largest+1e-7)
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
