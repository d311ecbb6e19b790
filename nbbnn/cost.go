package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
)

// Cost is what a training will take on this machine with the engine in use, about: on a busy machine it may be off by a factor
// of two. It comes from a few trial steps on random images: the time and the memory of a step are straight lines in the number
// of images, so small steps tell about large ones.
type Cost struct {
	StepSeconds  float64 `json:"step_seconds"`
	EpochSeconds float64 `json:"epoch_seconds"`
	TotalSeconds float64 `json:"total_seconds"` // of all epochs
	Steps        int     `json:"steps"`         // of an epoch
	Memory       float64 `json:"memory_bytes"`  // largest amount that the process has at a time, or that a device needs; 0 where nobody tells
	Images       int     `json:"images"`        // of the largest trial step
}

// EstimateTraining makes trial steps of about a second at most, with no more images than the batch, and extends them to the
// training of a configuration. Its peak of memory is that of a process that does nothing else. On a device the trial is one
// call of as many whole steps as in a training, and the memory that of the device.
func EstimateTraining(ctx context.Context, config Config) (Cost, error) {
	if err := config.Validate(); err != nil {
		return Cost{}, err
	}
	config = config.WithDefaults()
	data := dataSizeOf(config.Data)
	opened, err := engine.Open()
	if err != nil {
		return Cost{}, err
	}
	if opened.IsDevice() {
		return estimateOnDevice(ctx, config, data)
	}
	machine.ResetPeakMemory()
	start := float64(machine.PeakMemory())
	trials, err := tryOut(ctx, config, data)
	if err != nil {
		return Cost{}, err
	}
	batch := config.Training.Batch
	step, memory := extend(trials, batch, leastMemory(config, data))
	cost := newCost(config, data, step)
	cost.Images = trials[0].images
	if start > 0 {
		cost.Memory = start + memory + data.bytes()
	}
	machine.ResetPeakMemory()
	return cost, nil
}

// newCost extends the time of a step to a training.
func newCost(config Config, data dataSize, step float64) Cost {
	steps := data.steps(config)
	epoch := float64(steps) * step
	return Cost{StepSeconds: step, EpochSeconds: epoch, TotalSeconds: epoch * float64(config.Training.Epochs), Steps: steps}
}

// dataSize is how much data a training has.
type dataSize dataset.Size

// dataSizeOf is known without opening the data set.
func dataSizeOf(data Data) dataSize {
	return dataSize(data.Images().Size())
}

// bytes of the images in memory: both splits as they were read, and the training images once more on the device.
func (d dataSize) bytes() float64 { return float64((2*d.Train + d.Test) * d.Side * d.Side * 3) }

// steps of an epoch: the images that are held out aren't trained on.
func (d dataSize) steps(config Config) int {
	return max(1, (d.Train-config.Data.Validation)/config.Training.Batch)
}
