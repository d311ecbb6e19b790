package nbbnn

import (
	"context"
	"math"
)

// estimateOnDevice makes a few calls of whole steps: on a device a call is short, and compiling a graph for another number of
// images takes longer than it tells.
func estimateOnDevice(ctx context.Context, config Config, data dataSize) (Cost, error) {
	trial, err := NewTrainingTrial(Workload{Config: config, Side: data.Side, Classes: data.Classes})
	if err != nil {
		return Cost{}, err
	}
	return trial.cost(ctx, config, data)
}

// cost times the trial of a device and extends it to the training of a configuration. The trial has the images of one batch
// on the device, the training all of them.
func (t *TrainingTrial) cost(ctx context.Context, config Config, data dataSize) (Cost, error) {
	step := math.Inf(1)
	for i := range repetitions {
		seconds, err := t.time(ctx)
		if err != nil {
			return Cost{}, err
		}
		if i > 0 { // the first compiles the graph
			step = min(step, seconds)
		}
	}
	cost := newCost(config, data, step)
	cost.Images = config.Training.Batch
	if planned := t.DeviceMemory(); planned > 0 {
		cost.Memory = float64(planned) + float64(data.Train*data.Side*data.Side*3)
	}
	return cost, nil
}
