package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Keep makes a complete run of the network that a loop of one's own has trained, with its cost, so
// that it's tested and compared as any other. The stepper has the settings and the images of the
// configuration, whose method is one that baseline.Define has added without Training: the name of
// the loop, whose Version changes with it. The same weights open the run again; others are refused.
// The run has no history.
func Keep(ctx context.Context, directory string, config Config, stepper *network.Stepper) (*Run,
	error) {
	run, err := Open(directory, config)
	if err != nil {
		return nil, err
	}
	model, at := stepper.Model, stepper.Position
	switch {
	case !methods.IsLoop(run.config.Method):
		return nil, fmt.Errorf("nbbnn: method %q isn't the name of a loop: call baseline.Define "+
			"with a name, a version and no Training, and name the method in the configuration",
			methods.Of(run.config.Method, run.config.Settings()))
	case model.Settings != run.config.Settings():
		return nil, fmt.Errorf("nbbnn: the stepper of the loop %s has other settings than the "+
			"configuration: give network.NewModel the result of Config.Settings",
			run.config.Method.Name)
	}
	data, err := openParts(ctx, run.config.Data)
	if err != nil {
		return nil, stopped(err)
	}
	cost := &CardCost{Epochs: at.Epoch, Passes: stepper.Passes()}
	if at.Step > 0 {
		cost.Epochs++
	}
	t := &trainer{run: run, data: data.Dataset, stepper: stepper, state: trainingState{
		Epoch: run.config.Training.Epochs, DataHash: data.Hash,
		Engines: []string{model.Engine.Name},
		Noise:   []string{model.Noise}, Cost: cost, IsLoop: true,
	}}
	return t.writeOnce()
}
