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

// tryOut takes trial steps with as many images, up to the batch, as take about a second.
func tryOut(ctx context.Context, settings network.Settings, data Data) (trial, error) {
	const longest = 1.0 // seconds of a step
	probe, err := tryStep(ctx, settings, data, 1)
	if err != nil {
		return probe, err
	}
	images := min(settings.Training.Batch, max(1, int(longest/probe.seconds)))
	if images == 1 {
		return probe, nil
	}
	return tryStep(ctx, settings, data, images)
}

// repetitions are the steps of a trial that are timed, of which the fastest counts.
const repetitions = 3

// tryStep takes steps with a number of images. The first two compile the graph and show how much
// memory a step takes: pools of buffers keep their memory for one more collection after the first
// reset.
func tryStep(ctx context.Context, settings network.Settings, data Data, images int) (trial, error) {
	machine.ResetPeakMemory()
	machine.ResetPeakMemory()
	before := machine.PeakMemory()
	settings.Training.Batch = images
	t := trial{images: images, seconds: math.Inf(1)}
	steps, err := NewTraining(Workload{Settings: settings, Side: data.Side, Classes: data.Classes})
	if err != nil {
		return t, err
	}
	const first = 2
	for i := range first + repetitions {
		seconds, err := steps.time(ctx)
		if err != nil {
			return t, err
		}
		if t.seconds = min(t.seconds, seconds); i == first-1 {
			t.memory = max(0, float64(machine.PeakMemory()-before))
		}
	}
	return t, nil
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
