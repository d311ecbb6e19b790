package nbbnn

import (
	"context"
	"math"
	"time"

	"github.com/nbbnn/workbench/internal/machine"
)

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
	switch large {
	case 1:
		return []trial{probe}, nil
	case config.Training.Batch:
		largest, err := tryStep(ctx, config, data, large)
		return []trial{largest}, err
	default:
		return tryBoth(ctx, config, data, large, max(1, large/4))
	}
}

// timedTrial is a trial whose steps go on.
type timedTrial struct {
	trial
	steps *TrainingTrial
}

// repetitions are the steps of a trial that are timed, of which the fastest counts.
const repetitions = 3

// tryStep takes steps with so many images.
func tryStep(ctx context.Context, config Config, data dataSize, images int) (trial, error) {
	t, err := newTimedTrial(ctx, config, data, images)
	for range repetitions {
		if err == nil {
			err = t.again(ctx)
		}
	}
	return t.trial, err
}

// tryBoth takes steps of two sizes in turn, so that what else the machine does slows both alike.
func tryBoth(ctx context.Context, config Config, data dataSize, large, small int) ([]trial, error) {
	smaller, err := newTimedTrial(ctx, config, data, small)
	if err != nil {
		return nil, err
	}
	larger, err := newTimedTrial(ctx, config, data, large)
	for range repetitions {
		if err == nil {
			err = smaller.again(ctx)
		}
		if err == nil {
			err = larger.again(ctx)
		}
	}
	return []trial{larger.trial, smaller.trial}, err
}

// newTimedTrial prepares a trial and takes two steps, of which the first compiles the graph. They show how much memory it
// takes: the first reset leaves what pools of buffers hold back for one more collection.
func newTimedTrial(ctx context.Context, config Config, data dataSize, images int) (*timedTrial, error) {
	machine.ResetPeakMemory()
	machine.ResetPeakMemory()
	before := machine.PeakMemory()
	config.Training.Batch = images
	t := &timedTrial{trial: trial{images: images, seconds: math.Inf(1)}}
	var err error
	if t.steps, err = NewTrainingTrial(Workload{Config: config, Side: data.Side, Classes: data.Classes}); err != nil {
		return t, err
	}
	for range 2 {
		if err := t.again(ctx); err != nil {
			return t, err
		}
	}
	t.memory = max(0, float64(machine.PeakMemory()-before))
	return t, nil
}

// again takes one more step.
func (t *timedTrial) again(ctx context.Context) error {
	seconds, err := t.steps.time(ctx)
	t.seconds = min(t.seconds, seconds)
	return err
}

// time takes a step, or a call of many, and returns the seconds of a step.
func (t *TrainingTrial) time(ctx context.Context) (float64, error) {
	if err := ctx.Err(); err != nil {
		return math.Inf(1), stopped(err)
	}
	started := time.Now()
	_, err := t.Step()
	return time.Since(started).Seconds() / float64(t.StepsAtOnce()), err
}
