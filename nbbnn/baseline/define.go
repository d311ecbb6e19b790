package baseline

import (
	"github.com/nbbnn/workbench/internal/methods/own"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Definition is a method of training that a program adds to the built-in ones: an update rule, a
// schedule, a loss, or several of them. It trains node-BNNs, and ordinary networks in mode none;
// the weights and the posterior at the end of the training predict.
type Definition struct {
	Name    Name   // in files, flags and pictures: lower-case letters, digits and underscores
	Version string // change it with Training, so that older runs are kept apart

	// Training returns how a Stepper trains filled settings on a number of images. It's a pure
	// function, which is called several times. Nil means that a loop of the program trains, whose
	// network nbbnn.Keep makes a run.
	Training func(s network.Settings, images int) network.StepperOptions
}

// Define makes a method available to configurations. Call it from an init function or before
// command.Main, so that every process that trains with the method knows it. A fingerprint of the
// version and the schedules is part of the configuration, so that a changed definition is another
// run.
func Define(d Definition) error { return own.Define(string(d.Name), d.Version, d.Training) }
