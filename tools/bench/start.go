package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/tools/bench/measure"
)

// starting measures the start and prints it.
func starting(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := benchStart(ctx, a, flags)
	if err == nil && !a.json {
		printStart(a, result)
	}
	return result, err
}

// benchStart measures how long the user's program takes to print its version and to open the
// engine, and how long the first training step takes with its compilation.
func benchStart(ctx context.Context, a *app, flags benchFlags) (measure.Start, error) {
	result := measure.Start{Workload: flags.describe(), Machine: machine.Describe(), Commit: commandline.Version()}
	var err error
	if result.VersionSeconds, err = timeProgram(ctx, a, "--version"); err != nil {
		return result, err
	}
	if result.DoctorSeconds, err = timeProgram(ctx, a, "doctor"); err != nil {
		return result, err
	}
	started := time.Now()
	steps, err := trial.NewTraining(flags.workload)
	if err != nil {
		return result, err
	}
	result.Engine = steps.Engine()
	result.NetworkSeconds = time.Since(started).Seconds()
	seconds, err := measure.Repeat(ctx, 0, 2, func() error {
		_, err := steps.Step()
		return err
	})
	if err != nil {
		return result, err
	}
	result.FirstStepSeconds, result.SecondStepSeconds = seconds[0], seconds[1]/float64(steps.StepsPerCall())
	return result, record(flags.out, func(r *measure.Record) { r.Start = &result })
}

// timeProgram runs the user's program with its output discarded and returns the median of the
// seconds that it takes.
func timeProgram(ctx context.Context, a *app, arguments ...string) (float64, error) {
	run := func() error { return exec.CommandContext(ctx, a.program, arguments...).Run() }
	seconds, err := measure.Repeat(ctx, 1, 5, run)
	if err != nil {
		return 0, fmt.Errorf("bench: starting %s failed: %w: `make build` builds it", a.program, err)
	}
	return measure.NewSpread(seconds).Median, nil
}

func printStart(a *app, s measure.Start) {
	fmt.Fprintf(a.out, "start    %s to start the program, %s with the engine and its check\n", quantity.Seconds(s.VersionSeconds), quantity.Seconds(s.DoctorSeconds))
	fmt.Fprintf(a.out, "first    %s to make the network, %s for the first step with its compilation, %s for the second\n",
		quantity.Seconds(s.NetworkSeconds), quantity.Seconds(s.FirstStepSeconds), quantity.Seconds(s.SecondStepSeconds))
}
