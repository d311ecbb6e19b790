package trial

import (
	"context"

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
