package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/internal/trial"
)

// Cost is about what a training takes: seconds, steps and memory.
type Cost = trial.Cost

// EstimateTraining estimates the cost of a configuration's training on this machine, with the
// engine in use. It takes a few trial steps of about a second on random images and extends them to
// the whole training; on a busy machine the estimate may be off by a factor of two. No data set is
// read.
func EstimateTraining(ctx context.Context, config Config) (Cost, error) {
	if err := config.Validate(); err != nil {
		return Cost{}, err
	}
	config = config.WithDefaults()
	cost, err := trial.Estimate(ctx, config.Settings(), trialData(config))
	passes := float64(config.Method.Passes())
	cost.StepSeconds *= passes
	cost.EpochSeconds *= passes
	cost.TotalSeconds *= passes
	return cost, stopped(err)
}

// trialData returns the numbers of images on which the memory of a training depends.
func trialData(c Config) trial.Data {
	return trial.Data{Size: c.Data.Images().Size(), Validation: c.Data.Validation}
}

// checkMemory returns an error if a training can't fit in the memory of this machine.
func checkMemory(c Config) error {
	if !c.Data.isHere() {
		return nil // opening it will say how to get it
	}
	return trial.CheckTraining(c.Settings(), trialData(c))
}
