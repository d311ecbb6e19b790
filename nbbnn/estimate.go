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
	data := trial.Data{Size: config.Data.Images().Size(), Validation: config.Data.Validation}
	cost, err := trial.Estimate(ctx, config.Settings(), data)
	passes := float64(config.Method.Passes())
	cost.StepSeconds *= passes
	cost.EpochSeconds *= passes
	cost.TotalSeconds *= passes
	return cost, stopped(err)
}
