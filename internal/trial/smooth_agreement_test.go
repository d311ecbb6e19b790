package trial

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// pureGoStepper trains a network on the pure-Go engine with the noise that a device draws.
func pureGoStepper(t *testing.T, settings network.Settings, options network.StepperOptions) *network.Stepper {
	t.Helper()
	opened := testkit.Must(engine.OpenNamed("go"))(t)
	settings.Training.NoAugmentation, options.StepsPerCall = true, 1 // views are drawn by the step, as noise is
	s := testkit.Must(newStepper(opened, settings.WithDefaults(), openShapes(t, 128), network.DeviceNoise, options))(t)
	return s
}

// moveStart moves each weight and each parameter of the posterior to the next float32 above or below.
func moveStart(s *network.State) {
	random := rand.New(rand.NewPCG(1, 2))
	changeVariables(s, "", func(_ int, value float32) float32 {
		if value == 0 {
			return 0 // its neighbours are not of the size of a rounding
		}
		return math.Nextafter32(value, float32(random.IntN(2)*20-10))
	})
}

// changeState changes the state of a training.
func changeState(s *network.Stepper, change func(*network.State)) error {
	state, err := s.State()
	if err != nil {
		return err
	}
	change(&state)
	return s.SetState(state)
}

// changeVariables changes the values of the variables whose names begin with a prefix.
func changeVariables(s *network.State, prefix string, change func(at int, value float32) float32) {
	at := 0
	for i, tensor := range s.Variables {
		if !strings.HasPrefix(tensor.Name, prefix) {
			continue
		}
		var data []byte
		for _, value := range float32s(tensor) {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(change(at, value)))
			at++
		}
		s.Variables[i].Data = data
	}
}

// Rounding grows with kinks alone: a start that is moved by one rounding takes a network with ReLUs
// far beyond the tolerance of the network without them, which it moves by a tenth of that at most.
func TestRoundingGrowsWithKinks(t *testing.T) {
	for _, test := range []struct {
		name  string
		rule  network.Rule
		width int
		steps int
		grows bool
	}{{"ReLU", network.Nesterov(), 8, 12, true}, {"smooth", smoothRule(), 4, 8, false}} {
		settings := agreementSettings("resnet18", test.width, network.Output)
		options := network.StepperOptions{Rule: test.rule}
		plain, moved := pureGoStepper(t, settings, options), pureGoStepper(t, settings, options)
		testkit.NoError(t, changeState(moved, moveStart))
		losses, variables, err := trainingsApart(t.Context(), moved, plain, test.steps)
		testkit.NoError(t, err)
		t.Logf("%s: losses %.1e apart, variables %.1e", test.name, losses, variables)
		if grows := variables > smoothTolerance; grows != test.grows {
			t.Errorf("%s: variables are %.1e apart, tolerance %.1e; want beyond it: %v", test.name, variables, smoothTolerance, test.grows)
		}
		if !test.grows && (losses > smoothLossTolerance/10 || variables > smoothTolerance/10) {
			t.Errorf("%s: losses %.1e and variables %.1e apart, want a tenth of the tolerances at most", test.name, losses, variables)
		}
	}
}

// The momentum after the first step has a tensor for each parameter of the weights.
func TestMomentumOfEveryWeight(t *testing.T) {
	var theta int
	rule := network.Nesterov()
	update := rule.Update
	rule.Update = func(s *network.StepGraph) {
		theta = len(s.Theta)
		update(s)
	}
	s := pureGoStepper(t, agreementSettings("allcnnc", 2, network.Output), network.StepperOptions{Rule: rule})
	testkit.Must(takeSteps(t.Context(), s, 1))(t)
	momentum, err := momentumOf(s)
	if err != nil || len(momentum) != theta || theta == 0 {
		t.Errorf("%d tensors of momentum (%v), want those of the %d parameters", len(momentum), err, theta)
	}
	for _, tensor := range momentum {
		if !slices.ContainsFunc(float32s(tensor), func(value float32) bool { return value != 0 }) {
			t.Errorf("%s is zero after a step", tensor.Name)
		}
	}
}

// plantedError is a training that differs from the right one in one thing.
type plantedError struct {
	name     string
	settings func(*network.Settings)
	options  func(*network.StepperOptions)
	begin    func(*network.State)
}

var plantedErrors = []plantedError{
	{name: "momentum 0.89", settings: func(s *network.Settings) { s.Training.Momentum = 0.89 }},
	{name: "no weight decay", settings: func(s *network.Settings) { s.Training.NoWeightDecay = true }},
	{name: "rate of the weights, 1 % higher", settings: func(s *network.Settings) { s.Training.LearningRate *= 1.01 }},
	{name: "rate of the posterior, 10 % higher", settings: func(s *network.Settings) { s.Training.PosteriorLearningRate *= 1.1 }},
	{name: "another weight of the entropy", settings: func(s *network.Settings) { s.Objective.Gamma *= 1.1 }},
	{name: "a parameter that stays", options: func(o *network.StepperOptions) {
		update := o.Rule.Update
		o.Rule.Update = func(s *network.StepGraph) {
			update(s)
			last := s.Theta[len(s.Theta)-1]
			s.Set(last, last.Value)
		}
	}},
	{name: "running statistics with another momentum", options: func(o *network.StepperOptions) {
		o.Hooks = []network.Hook{{Name: "running", AfterCall: fasterRunning()}}
	}},
	// The order of the images and the rates are those of every epoch.
	{name: "the noise of other steps", begin: func(s *network.State) { s.Position.Epoch++ }},
}

// The comparison without kinks finds each error after a few steps, and nothing where there is none.
func TestTheSmoothComparisonFindsErrors(t *testing.T) {
	const steps = 3
	settings := agreementSettings("resnet18", 2, network.Output)
	order := make([]int32, 128)
	for i := range order {
		order[i] = int32(i)
	}
	options := network.StepperOptions{
		Rule: smoothRule(), Order: func(int) []int32 { return order },
		Schedule: func(int) (theta, phi, beta float64) {
			return settings.Training.LearningRate, settings.Training.PosteriorLearningRate, 1
		},
	}
	for _, planted := range append([]plantedError{{name: "no error"}}, plantedErrors...) {
		changed, own := settings, options
		if planted.settings != nil {
			planted.settings(&changed)
			own.Schedule = func(int) (theta, phi, beta float64) {
				return changed.Training.LearningRate, changed.Training.PosteriorLearningRate, 1
			}
		}
		if planted.options != nil {
			planted.options(&own)
		}
		wrong, right := pureGoStepper(t, changed, own), pureGoStepper(t, settings, options)
		if planted.begin != nil {
			testkit.NoError(t, changeState(wrong, planted.begin))
		}
		losses, variables, err := trainingsApart(t.Context(), wrong, right, steps)
		testkit.NoError(t, err)
		t.Logf("%s: losses %.1e apart, variables %.1e", planted.name, losses, variables)
		if found := variables > 2*smoothTolerance; found != (planted.name != "no error") {
			t.Errorf("%s: variables are %.1e apart, tolerance %.1e", planted.name, variables, smoothTolerance)
		}
	}
}

// fasterRunning moves the running statistics by another tenth after each step, as if their momentum
// were larger.
func fasterRunning() func(*network.Stepper, network.Losses) error {
	var before []float32
	return func(s *network.Stepper, _ network.Losses) error {
		var now []float32
		faster := func(at int, value float32) float32 {
			if before != nil {
				value += 0.1 * (value - before[at])
			}
			now = append(now, value)
			return value
		}
		err := changeState(s, func(state *network.State) { changeVariables(state, "running.", faster) })
		before = now
		return err
	}
}
