package paper

import (
	"context"
	"time"
)

// Status is the state of a figure at one scale.
type Status struct {
	Figure   Figure
	Plan     Plan
	Speed    Speed         // of the plan
	Verdicts Verdicts      // of the seeds whose runs are all there; nil if there is none
	Checks   []CheckResult // of the same seeds
}

// Left is about how long the missing part of the figure takes.
func (s Status) Left() time.Duration { return s.Speed.Duration(s.Plan.Operations()) }

// Overview looks at all figures that exist at a scale. It trains and tests nothing.
func Overview(ctx context.Context, scale Scale, options Options) ([]Status, error) {
	var all []Status
	known := speeds{}
	for _, figure := range All() {
		status := Status{Figure: figure}
		var err error
		if status.Plan, err = figure.Plan(scale, options); err != nil {
			return nil, err
		}
		if status.Speed, err = status.Plan.speed(ctx, known); err != nil {
			return nil, err
		}
		part, err := partOf(figure, scale, options.withDefaults().Runs)
		if err != nil {
			return nil, err
		}
		if len(part.seeds) > 0 {
			result, err := part.result(ctx, figure, scale, options)
			if err != nil {
				return nil, err
			}
			status.Verdicts, status.Checks = result.Verdicts(), result.Checks()
		}
		all = append(all, status)
	}
	return all, nil
}

// Left is about how long all figures together still take. Runs that several figures share are
// trained once.
func Left(all []Status) time.Duration {
	var left float64
	trained := map[string]bool{}
	for _, status := range all {
		for _, run := range status.Plan.Runs {
			operations := run.Measuring
			if !trained[run.Directory] {
				operations += run.Training
			}
			trained[run.Directory] = true
			left += status.Speed.seconds(operations)
		}
	}
	return duration(left)
}
