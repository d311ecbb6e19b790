package nbbnn

import (
	"context"
	"slices"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
)

// Cost is what a training will take on this machine with the engine in use. It comes from a few trial steps on random
// images: the time and the memory of a step are straight lines in the number of images, so small steps tell about large ones.
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
	step, memory := extend(trials, batch)
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
	return dataSize(dataset.Config{Name: data.Name, TrainCount: data.Train, TestCount: data.Test}.Size())
}

// bytes of the images in memory: both splits as they were read, and the training images once more on the device.
func (d dataSize) bytes() float64 { return float64((2*d.Train + d.Test) * d.Side * d.Side * 3) }

// steps of an epoch: the images that are held out aren't trained on.
func (d dataSize) steps(config Config) int {
	return max(1, (d.Train-config.Data.Validation)/config.Training.Batch)
}

// trial is what a step with so many images took.
type trial struct {
	images  int
	seconds float64
	memory  float64 // above what the process had before, in bytes
}

// tryOut takes trial steps of two sizes, the larger first.
func tryOut(ctx context.Context, config Config, data dataSize) ([]trial, error) {
	const longest = 1.0 // seconds of a step
	probe, err := tryStep(ctx, config, data, 1)
	if err != nil {
		return nil, err
	}
	large := min(config.Training.Batch, max(1, int(longest/probe.seconds)))
	if large == 1 {
		return []trial{probe}, nil
	}
	largest, err := tryStep(ctx, config, data, large)
	if err != nil || large == config.Training.Batch {
		return []trial{largest}, err
	}
	smaller, err := tryStep(ctx, config, data, max(1, large/4))
	return []trial{largest, smaller}, err
}

// tryStep takes steps with so many images: the first compiles the graph, the median of the others counts.
func tryStep(ctx context.Context, config Config, data dataSize, images int) (trial, error) {
	machine.ResetPeakMemory()
	before := machine.PeakMemory()
	config.Training.Batch = images
	steps, err := NewTrainingTrial(Workload{Config: config, Side: data.Side, Classes: data.Classes})
	if err != nil {
		return trial{}, err
	}
	const repetitions = 4
	seconds, err := steps.time(ctx, repetitions)
	return trial{images, seconds, float64(machine.PeakMemory() - before)}, err
}

// time takes so many steps, or calls of many, of which the first compiles the graph, and returns the median seconds of a step
// of the others.
func (t *TrainingTrial) time(ctx context.Context, repetitions int) (float64, error) {
	var seconds []float64
	for i := range repetitions {
		if err := ctx.Err(); err != nil {
			return 0, stopped(err)
		}
		started := time.Now()
		if _, err := t.Step(); err != nil {
			return 0, err
		}
		if i > 0 {
			seconds = append(seconds, time.Since(started).Seconds()/float64(t.StepsAtOnce()))
		}
	}
	slices.Sort(seconds)
	return seconds[len(seconds)/2], nil
}

// extend lays a line through two trials, or from zero through one, and returns the seconds and bytes of a step of a batch.
func extend(trials []trial, batch int) (seconds, memory float64) {
	first, factor := trials[0], float64(batch)/float64(trials[0].images)
	if len(trials) == 1 {
		return first.seconds * factor, first.memory * factor
	}
	second := trials[1]
	more := float64(batch-first.images) / float64(first.images-second.images)
	return first.seconds + more*max(0, first.seconds-second.seconds), first.memory + more*max(0, first.memory-second.memory)
}
