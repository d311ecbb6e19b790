package trial

import (
	"context"
	"math"
	"time"

	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// trial is the cost of a step with a number of images.
type trial struct {
	images  int
	seconds float64
	memory  float64 // above what the process had before, in bytes
}

// tryOut takes trial steps of two sizes, the larger first.
func tryOut(ctx context.Context, settings network.Settings, data Data) ([]trial, error) {
	const longest = 1.0 // seconds of a step
	probe, err := tryStep(ctx, settings, data, 1)
	if err != nil {
		return nil, err
	}
	large := min(settings.Training.Batch, max(1, int(longest/probe.seconds)))
	switch large {
	case 1:
		return []trial{probe}, nil
	case settings.Training.Batch:
		largest, err := tryStep(ctx, settings, data, large)
		return []trial{largest}, err
	default:
		return tryBoth(ctx, settings, data, large, max(1, large/4))
	}
}

// timedTrial is a trial that can take more steps.
type timedTrial struct {
	trial
	steps *Training
}

// repetitions are the steps of a trial that are timed, of which the fastest counts.
const repetitions = 3

// tryStep takes steps with a number of images.
func tryStep(ctx context.Context, settings network.Settings, data Data, images int) (trial, error) {
	t, err := newTimedTrial(ctx, settings, data, images)
	for range repetitions {
		if err == nil {
			err = t.again(ctx)
		}
	}
	return t.trial, err
}

// tryBoth takes steps of two sizes in turn, so that other work on the machine slows both alike.
func tryBoth(ctx context.Context, settings network.Settings, data Data, large, small int) ([]trial, error) {
	smaller, err := newTimedTrial(ctx, settings, data, small)
	if err != nil {
		return nil, err
	}
	larger, err := newTimedTrial(ctx, settings, data, large)
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

// newTimedTrial prepares a trial and takes two steps, of which the first compiles the graph. They
// show how much memory it takes: pools of buffers keep their memory for one more collection after
// the first reset.
func newTimedTrial(ctx context.Context, settings network.Settings, data Data, images int) (*timedTrial, error) {
	machine.ResetPeakMemory()
	machine.ResetPeakMemory()
	before := machine.PeakMemory()
	settings.Training.Batch = images
	t := &timedTrial{trial: trial{images: images, seconds: math.Inf(1)}}
	var err error
	if t.steps, err = NewTraining(Workload{Settings: settings, Side: data.Side, Classes: data.Classes}); err != nil {
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
func (t *Training) time(ctx context.Context) (float64, error) {
	if err := ctx.Err(); err != nil {
		return math.Inf(1), err
	}
	started := time.Now()
	_, err := t.Step()
	return time.Since(started).Seconds() / float64(t.StepsPerCall()), err
}
