package trial

import (
	"context"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Program is a call of several training steps as a program of XLA, with what comes out of it.
type Program struct {
	Text      string           // in StableHLO
	Arguments []network.Tensor // of its function main, in order
	Steps     int
	Losses    []float64 // of the steps on the pure-Go engine, in float32
	Tolerance float64   // of a loss of the program, relative to it
}

// NewProgram returns the call of some training steps as XLA compiles it for a device, and takes the
// same steps on the pure-Go engine. It needs an XLA plugin, which compiles the graph and doesn't
// run it.
func NewProgram(ctx context.Context, settings network.Settings, data *dataset.Dataset, steps int) (program Program, err error) {
	compiler, err := programStepper(settings, data, "xla:cpu", steps)
	if err != nil {
		return program, err
	}
	if program.Text, program.Arguments, err = compiler.Program(); err != nil {
		return program, err
	}
	program.Steps = compiler.StepsPerCall()
	program.Tolerance = lossTolerance(program.Steps)
	if settings.Network.Precision == network.BFloat16 {
		program.Tolerance = halfTolerance(compiler.Model())
	}
	settings.Network.Precision = "" // which any engine has
	reference, err := programStepper(settings, data, "go", 1)
	if err != nil {
		return program, err
	}
	program.Losses, err = takeSteps(ctx, reference, program.Steps)
	return program, err
}

// programStepper prepares steps that draw their noise in the graph.
func programStepper(settings network.Settings, data *dataset.Dataset, backend string, perCall int) (*network.Stepper, error) {
	opened, err := engine.OpenNamed(backend)
	if err != nil {
		return nil, err
	}
	return newStepper(opened, settings, data, network.DeviceNoise, network.StepperOptions{StepsPerCall: perCall})
}

// newStepper prepares the training of a network on an engine.
func newStepper(
	opened *engine.Engine, settings network.Settings, data *dataset.Dataset, noise network.Noise, options network.StepperOptions,
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

// sureSteps are the first steps of a training, in which rounding hasn't grown yet.
const sureSteps = 4

// lossTolerance returns the tolerance of the losses of the first steps of a network with kinks, at
// which rounding makes gradients jump, relative to them: some sixteen times the largest difference
// that rounding was seen to make (docs/decisions.md).
func lossTolerance(steps int) float64 {
	if steps > sureSteps {
		return 2e-2
	}
	return 5e-4
}

// halfTolerance is how far bfloat16 may take a loss, relative to it. Each layer rounds its results
// to 8 bits, by up to 2^-9 of them; independent roundings of many layers add up like the root of
// their number, and the losses may differ by three times that.
func halfTolerance(m *network.Model) float64 {
	return 3 * math.Sqrt(float64(len(m.Layers()))) / (1 << 9)
}
