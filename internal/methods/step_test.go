package methods

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// stepTolerance is the difference that rounding makes, as a share of the largest value: weights
// that tests move in float64 are rounded once, those of a rule after each operation.
const stepTolerance = 1e-4

// SAM and ASAM take the step of Nesterov along the gradient at weights that were moved uphill, by
// the length that was given, from the weights as they were.
func TestSAMStepsAlongTheMovedGradient(t *testing.T) {
	settings := stepSettings()
	plain := testStepper(t, Method{Name: baseline.MAP}, settings)
	start := parametersOf(stateOf(t, plain).Variables, "theta")
	gradients := gradientsAt(t, settings, start, network.Position{})
	for _, m := range []Method{{Name: baseline.SAM, Rho: 0.05}, {Name: baseline.SAM, Rho: 0.5},
		{Name: baseline.ASAM, Rho: 0.5}, {Name: baseline.ASAM, Rho: 1}} {
		t.Run(fmt.Sprint(m.Name, " ", m.Rho), func(t *testing.T) {
			moved := ascentFrom(t, start, gradients, m.Rho, m.Name == baseline.ASAM)
			there := gradientsAt(t, settings, moved, network.Position{})
			want, wantMomentum := nesterovFrom(settings, start, there)
			got, momentum := stepFrom(t, testStepper(t, m, settings), start, network.Position{})
			nearParameters(t, "momentum of", momentum, wantMomentum, stepTolerance)
			nearParameters(t, "weights", got, want, stepTolerance)
		})
	}
}

// Four positions and more: the rate falls in a cycle, from step to step, and starts again; noise is
// in the last epochs of each cycle alone, and its variance is that of N images.
func TestInputsOfCSGHMC(t *testing.T) {
	const images, first, temperature, momentum = 1000, 0.5, 0.25, 0.1
	m, settings := applied(t, Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 1, NoiseEpochs: 2,
		Temperature: temperature},
		network.Settings{Training: network.Training{Epochs: 12, Batch: 10, LearningRate: first}})
	options := Training(m, settings, images)
	inputs := options.Rule.Inputs
	for _, c := range []struct {
		at    network.Position
		share float64 // of the cycle of 600 steps
		noisy bool
	}{
		{network.Position{}, 0, false},
		{network.Position{Step: 50}, 1.0 / 12, false},
		{network.Position{Epoch: 3}, 0.5, false},
		{network.Position{Epoch: 3, Step: 99}, 399.0 / 600, false},
		{network.Position{Epoch: 4}, 2.0 / 3, true},
		{network.Position{Epoch: 5, Step: 99}, 599.0 / 600, true},
		{network.Position{Epoch: 6}, 0, false},
		{network.Position{Epoch: 10, Step: 50}, 0.75, true},
	} {
		rate, noise := first*(1+math.Cos(math.Pi*c.share))/2, 0.0
		if c.noisy {
			noise = math.Sqrt(2 * (1 - momentum) * rate * temperature / images)
		}
		got := float64s(inputs(c.at))
		testkit.Near(t, fmt.Sprintf("rate and noise at %+v", c.at), got, []float64{rate, noise},
			1e-7)
	}
	for epoch := range 12 { // the schedule has the rate of an epoch's first step
		rate, phi, beta := options.Schedule(epoch)
		_, wantPhi, wantBeta := settings.Training.Rates(epoch)
		want := []float64{float64(inputs(network.Position{Epoch: epoch})[0]), wantPhi, wantBeta}
		testkit.Near(t, fmt.Sprint("rates and beta of epoch ", epoch), []float64{rate, phi, beta},
			want, 1e-7)
	}
}

// A training's step of cSG-HMC is hamiltonianStep of the gradient, the velocity of the step before,
// the decay, and the noise of the step.
func TestStepOfCSGHMC(t *testing.T) {
	settings := stepSettings()
	m := Method{Name: baseline.CSGHMC, Cycles: 1, Snapshots: 1, NoiseEpochs: 2, Temperature: 1}
	s := testStepper(t, m, settings)
	testkit.Must(s.Step(t.Context()))(t)
	before := stateOf(t, s)
	theta, velocity := parametersOf(before.Variables, "theta"), parametersOf(before.Variables,
		"momentum")
	gradients := gradientsAt(t, settings, theta, before.Position)
	normal := normalsAt(t, settings, before.Position)
	testkit.Must(s.Step(t.Context()))(t)
	after := stateOf(t, s).Variables
	got, gotVelocity := parametersOf(after, "theta"), parametersOf(after, "momentum")

	m, filled := applied(t, m, settings)
	numbers := hamiltonian(m, target{settings: filled, images: testData().Train.Count()}).Inputs(
		before.Position)
	want, wantVelocity := parameters{}, parameters{}
	for name := range theta {
		outputs := run(t, func(args []*Node) []*Node {
			next, velocity := hamiltonianStep(args[0], args[1], args[2], args[3], Reshape(args[4]),
				Reshape(args[5]),
				filled.Training.Momentum, filled.Training.WeightDecay)
			return []*Node{next, velocity}
		}, theta[name], velocity[name], gradients[name], normal[name],
			float64s(numbers[:1]), float64s(numbers[1:]))
		want[name], wantVelocity[name] = outputs[0], outputs[1]
	}
	nearParameters(t, "velocity of", gotVelocity, wantVelocity, 1e-4)
	nearParameters(t, "weights", got, want, 1e-4)
}

// The training of SWAG has its own rate: the first one until half of the start, then down to the
// constant one.
func TestScheduleOfSWAG(t *testing.T) {
	const start, first, last = 10, 0.4, 0.1
	m, settings := applied(t, Method{Name: baseline.SWAG, Start: start, Rate: last},
		network.Settings{Training: network.Training{Epochs: 20, LearningRate: first}})
	schedule := Training(m, settings, 100).Schedule
	for epoch, want := range map[int]float64{0: first, start / 2: first, 7: 0.25, 9: last,
		start: last, 19: last} {
		theta, phi, beta := schedule(epoch)
		_, wantPhi, wantBeta := settings.Training.Rates(epoch)
		testkit.Near(t, fmt.Sprint("rates and beta of epoch ", epoch),
			[]float64{theta, phi, beta}, []float64{want, wantPhi, wantBeta}, 1e-12)
	}
}

// DAMP's step is that of Nesterov along the gradient at weights of which kernels, matrices and
// scales are multiplied, and biases and shifts aren't: here none of them is zero.
func TestDAMPLeavesBiasesAndShifts(t *testing.T) {
	const std, moved = 0.2, 0.5
	settings := stepSettings()
	multiplies := func(name string) bool {
		return !strings.HasSuffix(name, ".bias") && !strings.HasSuffix(name, ".shift")
	}
	s := testStepper(t, Method{Name: baseline.DAMP, Std: std, SubBatches: 1}, settings)
	start := parametersOf(stateOf(t, s).Variables, "theta")
	start = start.with(start, func(name string, w, _ float64) float64 {
		if multiplies(name) {
			return w
		}
		return w + moved
	})
	seen := start.with(normalsAt(t, settings, network.Position{}),
		func(name string, w, z float64) float64 {
			if multiplies(name) {
				return w * (1 + std*z)
			}
			return w
		})
	want, wantMomentum := nesterovFrom(settings, start, gradientsAt(t, settings, seen,
		network.Position{}))
	got, momentum := stepFrom(t, s, start, network.Position{})
	nearParameters(t, "momentum of", momentum, wantMomentum, stepTolerance)
	nearParameters(t, "weights", got, want, stepTolerance)
}
