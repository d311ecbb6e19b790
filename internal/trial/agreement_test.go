package trial

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

const (
	// Tolerances of the losses of a network with kinks, at which rounding makes gradients jump,
	// relative to them: some sixteen times the largest difference that rounding was seen to make
	// (docs/decisions.md).
	sureTolerance = 5e-4 // of the first steps
	sureSteps     = 4
	kinkTolerance = 2e-2 // of later ones

	// predictionTolerance is the rounding of float32: of a log-probability predicted with the same
	// weights, relative to it or to one nat.
	predictionTolerance = 1e-4

	// Tolerances of a network without kinks. There rounding doesn't grow: if the weights of the
	// start are moved to the next float32, the losses of 20 steps change by some 1e-7, and the
	// variables by some 1e-5 (docs/decisions.md).
	smoothLossTolerance = 1e-5 // of the loss of a call, relative to it
	smoothTolerance     = 1e-3 // of a variable, relative to its largest change
)

// XLA, or the engine of GOMLX_BACKEND, trains and predicts as pure Go does with the same noise:
// with kinks within what rounding makes of them; without kinks, in calls of as many steps as the
// engine takes and with the noise drawn in the graph, every variable; and in bfloat16 near to
// float32.
func TestXLAAgreesWithPureGo(t *testing.T) {
	tested, pureGo := openTested(t), testkit.Must(engine.OpenNamed("go"))(t)
	for _, c := range []struct {
		name                 string
		width, steps         int
		mode                 network.Mode
		isSmooth, isBFloat16 bool
	}{
		{"allcnnc", 8, 20, network.Both, true, true}, {"vgg16", 8, 20, network.Output, false,
			false},
		{"resnet18", 8, 20, network.Output, false, false}, {"preactresnet18", 8, 20, network.Input,
			false, false},
		{"resnet18", 4, 8, network.Output, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := agreementSettings(c.name, c.width, c.mode).WithDefaults()
			losses := trainingsAgree(t, tested, pureGo, settings, c.steps)
			if c.isSmooth {
				options := network.StepperOptions{Rule: smoothRule(), StepsPerCall: 1}
				single := stepperOn(t, pureGo, settings, network.DeviceNoise, options)
				if tested.IsXLA() {
					options.StepsPerCall = 0 // those of a training
				}
				many := stepperOn(t, tested, settings, network.DeviceNoise, options)
				loss, variable := trainingsApart(t, many, single, 8)
				atMost(t, "loss of a call, without kinks", loss, smoothLossTolerance)
				atMost(t, "variable after a call, without kinks", variable, smoothTolerance)
			}
			if c.isBFloat16 && tested.IsXLA() {
				settings.Network.Precision = "bfloat16"
				half := stepperOn(t, tested, settings, network.HostNoise,
					network.StepperOptions{StepsPerCall: 1})
				difference := apart(testkit.Must(takeSteps(t.Context(), half, c.steps))(t), losses,
					0)
				atMost(t, "loss of a step in bfloat16", difference, halfTolerance(half.Model))
				if difference == 0 {
					t.Error("bfloat16 changes nothing: it computes in float32 all the same")
				}
			}
		})
	}
}

// openTested opens the engine of GOMLX_BACKEND, or XLA on the processor if it's there. TF32, whose
// rounding would hide an error, is off unless the user says otherwise.
func openTested(t *testing.T) *engine.Engine {
	t.Helper()
	if _, isSet := os.LookupEnv(engine.PrecisionVariable); !isSet {
		t.Setenv(engine.PrecisionVariable, "0")
	}
	name := os.Getenv("GOMLX_BACKEND")
	opened, err := engine.OpenNamed(cmp.Or(name, "xla:cpu"))
	if err != nil && name == "" {
		t.Skipf("XLA was not tested: %v", err)
	}
	testkit.NoError(t, err)
	return opened
}

// atMost logs a difference, and reports one that is more than rounding.
func atMost(t *testing.T, what string, difference, tolerance float64) {
	t.Helper()
	t.Logf("%s differs by %.1e, at most %.1e is rounding", what, difference, tolerance)
	if !(difference <= tolerance) {
		t.Errorf("%s differs by %.1e, at most %.1e is rounding", what, difference, tolerance)
	}
}

// trainingsAgree compares the losses of steps on two engines, and predictions with the weights of
// the first, and returns the losses of the first.
func trainingsAgree(t *testing.T, tested, pureGo *engine.Engine, settings network.Settings,
	steps int) []float64 {
	t.Helper()
	var losses, predicted [2][]float64
	var weights []network.Tensor
	for i, opened := range []*engine.Engine{tested, pureGo} {
		s := stepperOn(t, opened, settings, network.HostNoise,
			network.StepperOptions{StepsPerCall: 1})
		losses[i] = testkit.Must(takeSteps(t.Context(), s, steps))(t)
		if weights == nil {
			weights = testkit.Must(s.Model.Variables())(t)
		}
		testkit.NoError(t, s.Model.SetVariables(weights, false))
		predicted[i] = testkit.Must(predictions(t.Context(), s.Model, openShapes(t).Test))(t)
	}
	atMost(t, "loss of the first steps", apart(losses[0][:sureSteps], losses[1][:sureSteps], 0),
		sureTolerance)
	atMost(t, "loss of a step", apart(losses[0], losses[1], 0), kinkTolerance)
	atMost(t, "log-probability of a prediction", apart(predicted[0], predicted[1], 1),
		predictionTolerance)
	return losses[0]
}

// predictions returns the log-probabilities of images.
func predictions(ctx context.Context, m *network.Model, images dataset.Images) (values []float64,
	err error) {
	p, err := m.NewPredictor(images.Count(), 4*m.Settings.Posterior.Components, 0)
	if err != nil {
		return nil, err
	}
	prediction, err := p.Predict(ctx, images)
	for _, value := range prediction.LogProbabilities {
		values = append(values, float64(value))
	}
	return values, err
}

// agreementSettings are those of a narrow network at a small rate: batch normalisation of few rows
// multiplies the rounding of the weights at every step, by about ten at rate 0.01.
func agreementSettings(name string, width int, mode network.Mode) network.Settings {
	return network.Settings{
		Network:   network.Network{Name: name, Width: width},
		Posterior: network.Posterior{Components: 2, Mode: mode, InitStd: 0.3},
		Objective: network.Objective{Gamma: 2},
		Training: network.Training{Epochs: 10, Batch: 32, Samples: 2, LearningRate: 0.0005,
			PosteriorLearningRate: 0.0005},
		Seed: 3,
	}
}

func openShapes(t *testing.T) *dataset.Dataset {
	t.Helper()
	return testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10,
		TrainCount: 128, TestCount: 8}))(t)
}

func stepperOn(t *testing.T, opened *engine.Engine, settings network.Settings, noise string,
	options network.StepperOptions) *network.Stepper {
	t.Helper()
	if noise == network.DeviceNoise {
		settings.Network.Precision = "" // which any engine has
	}
	return testkit.Must(newStepper(opened, settings, openShapes(t), noise, options))(t)
}

// newStepper prepares the training of a network on an engine.
func newStepper(
	opened *engine.Engine, settings network.Settings, data *dataset.Dataset, noise string,
	options network.StepperOptions,
) (*network.Stepper, error) {
	m, err := network.NewModel(settings, data, network.ModelOptions{Engine: opened, Noise: noise})
	if err != nil {
		return nil, err
	}
	return network.NewStepper(m, data.Train, options)
}

// takeSteps makes the given number of calls of a stepper and returns the loss of each.
func takeSteps(ctx context.Context, s *network.Stepper, calls int) (nll []float64, err error) {
	for range calls {
		losses, err := s.Step(ctx)
		if err != nil {
			return nil, err
		}
		nll = append(nll, losses.NLL)
	}
	return nll, nil
}

// halfTolerance is how far bfloat16 may take a loss, relative to it. Each layer rounds its results
// to 8 bits, by up to 2^-9 of them; independent roundings of many layers add up like the root of
// their number, and the losses may differ by three times that.
func halfTolerance(m *network.Model) float64 {
	return 3 * math.Sqrt(float64(len(m.Architecture.Layers()))) / (1 << 9)
}

// smoothRule is the usual rule, for a network without kinks.
func smoothRule() network.Rule {
	rule := network.Nesterov()
	update := rule.Update
	rule.Update = func(s *network.StepGraph) {
		s.Smooth = true
		update(s)
	}
	return rule
}

// trainingsApart takes a number of steps at least, in calls of the first stepper and one by one
// with the second. It returns the largest difference of the losses of a call, relative to them, and
// that of the variables after each call, relative to their changes.
func trainingsApart(t *testing.T, many, single *network.Stepper, steps int) (losses,
	variables float64) {
	t.Helper()
	start := testkit.Must(single.State())(t)
	for taken := 0; taken < steps; {
		together := testkit.Must(many.Step(t.Context()))(t)
		taken += together.Steps
		sum := 0.0
		for _, loss := range testkit.Must(takeSteps(t.Context(), single, together.Steps))(t) {
			sum += loss
		}
		losses = max(losses, apart([]float64{together.NLL}, []float64{sum}, 0))
		first, second := testkit.Must(many.State())(t), testkit.Must(single.State())(t)
		variables = max(variables, changesApart(first.Variables, second.Variables, start.Variables,
			taken))
	}
	return losses, variables
}

// apart is the largest difference of two lists, relative to the size of the second's value or to a
// smallest size; the largest number there is for one that isn't finite.
func apart(a, b []float64, smallest float64) (largest float64) {
	for i := range b {
		difference := math.Abs(a[i]-b[i]) / max(math.Abs(b[i]), smallest)
		if math.IsNaN(difference) {
			return math.MaxFloat64
		}
		largest = max(largest, difference)
	}
	return largest
}

// changesApart returns the largest difference of two trainings in the values of a tensor, relative
// to the largest change of its values since the start of the second; the largest of all tensors.
// What the storing of a float32 after each step may round on both sides isn't counted.
func changesApart(a, b, start []network.Tensor, steps int) (largest float64) {
	const stored = 1.0 / (1 << 23) // of a value: half its last bit, on both sides
	for i := range b {
		if a[i].Name != b[i].Name || start[i].Name != b[i].Name {
			return math.MaxFloat64
		}
		difference, change, size := 0.0, 0.0, 0.0
		other, before := a[i].Floats(), start[i].Floats()
		for j, value := range b[i].Floats() {
			difference = max(difference, math.Abs(float64(other[j])-float64(value)))
			change = max(change, math.Abs(float64(value)-float64(before[j])))
			size = max(size, math.Abs(float64(value)))
		}
		if difference -= float64(steps) * stored * size; !(difference <= 0) {
			largest = max(largest, apart([]float64{difference}, []float64{0}, change))
		}
	}
	return largest
}

// The comparison without kinks finds each planted error after a few steps, and calls nothing an
// error in a training whose start is moved by one rounding.
func TestTheSmoothComparisonFindsErrors(t *testing.T) {
	settings, pureGo := agreementSettings("resnet18", 2, network.Output),
		testkit.Must(engine.OpenNamed("go"))(t)
	settings.Training.NoAugmentation = true // views are drawn by the step, as noise is
	order := make([]int32, 128)
	for i := range order {
		order[i] = int32(i)
	}
	for _, planted := range plantedErrors {
		changed, rule := settings, smoothRule()
		if planted.settings != nil {
			planted.settings(&changed)
		}
		if planted.rule != nil {
			planted.rule(&rule)
		}
		stepper := func(s network.Settings, rule network.Rule,
			hooks []network.Hook) *network.Stepper {
			schedule := func(int) (theta, phi, beta float64) {
				return s.Training.LearningRate, s.Training.PosteriorLearningRate, 1
			}
			options := network.StepperOptions{Rule: rule, Hooks: hooks, Schedule: schedule,
				StepsPerCall: 1, Order: func(int) []int32 { return order }}
			return stepperOn(t, pureGo, s.WithDefaults(), network.DeviceNoise, options)
		}
		wrong, right := stepper(changed, rule, planted.hooks), stepper(settings, smoothRule(), nil)
		if planted.begin != nil {
			changeState(t, wrong, planted.begin)
		}
		losses, variables := trainingsApart(t, wrong, right, 3)
		t.Logf("%s: losses %.1e apart, variables %.1e", planted.name, losses, variables)
		if isError := planted.name != "rounding"; isError != (variables > 2*smoothTolerance) {
			t.Errorf("%s: variables are %.1e apart, tolerance %.1e", planted.name, variables,
				smoothTolerance)
		} else if !isError && (losses > smoothLossTolerance/10 || variables > smoothTolerance/10) {
			t.Errorf("losses %.1e and variables %.1e apart, want a tenth of the tolerances at most",
				losses, variables)
		}
	}
}

// plantedErrors are trainings that differ from the right one in one thing.
var plantedErrors = []struct {
	name     string
	settings func(*network.Settings)
	rule     func(*network.Rule)
	hooks    []network.Hook
	begin    func(*network.State)
}{
	{name: "rounding", begin: moveStart},
	{name: "momentum 0.89", settings: func(s *network.Settings) { s.Training.Momentum = 0.89 }},
	{name: "no weight decay", settings: func(s *network.Settings) {
		s.Training.NoWeightDecay = true
	}},
	{name: "rate of the weights, 1 % higher", settings: func(s *network.Settings) {
		s.Training.LearningRate *= 1.01
	}},
	{name: "rate of the posterior, 10 % higher", settings: func(s *network.Settings) {
		s.Training.PosteriorLearningRate *= 1.1
	}},
	{name: "another weight of the entropy", settings: func(s *network.Settings) {
		s.Objective.Gamma *= 1.1
	}},
	{name: "a parameter that stays", rule: func(rule *network.Rule) {
		update := rule.Update
		rule.Update = func(s *network.StepGraph) {
			update(s)
			last := s.Theta[len(s.Theta)-1]
			s.Set(last, last.Value)
		}
	}},
	{name: "running statistics that move after a step",
		hooks: []network.Hook{{Name: "running", AfterCall: moveRunning}}},
	// The order of the images and the rates are those of every epoch.
	{name: "the noise of other steps", begin: func(s *network.State) { s.Position.Epoch++ }},
}

// moveRunning makes the running statistics larger by a hundredth.
func moveRunning(s *network.Stepper, _ network.Losses) error {
	state, err := s.State()
	if err != nil {
		return err
	}
	changeVariables(&state, "running.", func(value float32) float32 { return 1.01 * value })
	return s.SetState(state)
}

// moveStart moves each weight and each parameter of the posterior to the next float32 above or
// below.
func moveStart(s *network.State) {
	random := rand.New(rand.NewPCG(1, 2))
	changeVariables(s, "", func(value float32) float32 {
		if value == 0 {
			return 0 // its neighbours are not of the size of a rounding
		}
		return math.Nextafter32(value, float32(random.IntN(2)*20-10))
	})
}

func changeState(t *testing.T, s *network.Stepper, change func(*network.State)) {
	t.Helper()
	state := testkit.Must(s.State())(t)
	change(&state)
	testkit.NoError(t, s.SetState(state))
}

// changeVariables changes the values of the variables whose names begin with a prefix.
func changeVariables(s *network.State, prefix string, change func(value float32) float32) {
	for i, tensor := range s.Variables {
		if !strings.HasPrefix(tensor.Name, prefix) {
			continue
		}
		values := tensor.Floats()
		for k, value := range values {
			values[k] = change(value)
		}
		s.Variables[i] = safetensors.FromFloats(tensor.Name, values, tensor.Shape...)
	}
}
