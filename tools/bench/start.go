package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/nbbnn"
)

// starting measures the start and prints it.
func starting(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := a.benchStart(ctx, flags)
	if err == nil && !a.json {
		a.printStart(result)
	}
	return result, err
}

// benchStart measures how long this program takes to say what it is, how long to open the engine, and how long the first training step
// takes with its compilation.
func (a *app) benchStart(ctx context.Context, flags benchFlags) (bench.Start, error) {
	result := bench.Start{Workload: flags.describe(), Machine: machine.Describe(), Commit: version()}
	var err error
	if result.VersionSeconds, err = a.timeProgram(ctx, "--version"); err != nil {
		return result, err
	}
	if result.DoctorSeconds, err = a.timeProgram(ctx, "doctor"); err != nil {
		return result, err
	}
	started := time.Now()
	trial, err := nbbnn.NewTrainingTrial(flags.workload)
	if err != nil {
		return result, err
	}
	result.Engine = trial.Engine()
	result.NetworkSeconds = time.Since(started).Seconds()
	seconds, err := bench.Repeat(ctx, 0, 2, func() error {
		_, err := trial.Step()
		return err
	})
	if err != nil {
		return result, err
	}
	result.FirstStepSeconds, result.SecondStepSeconds = seconds[0], seconds[1]/float64(trial.StepsAtOnce())
	return result, record(flags.out, func(r *bench.Record) { r.Start = &result })
}

// timeProgram runs this program anew, with nothing to print to, and returns the median of the seconds it takes.
func (a *app) timeProgram(ctx context.Context, arguments ...string) (float64, error) {
	path, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("nbbnn bench: this program can't find its own file: %w: start it by its path", err)
	}
	seconds, err := bench.Repeat(ctx, 1, 5, func() error { return exec.CommandContext(ctx, path, arguments...).Run() })
	if err != nil {
		return 0, fmt.Errorf("nbbnn bench: starting the program anew failed: %w", err)
	}
	return bench.NewSpread(seconds).Median, nil
}

func (a *app) printStart(s bench.Start) {
	fmt.Fprintf(a.out, "start    %s to start the program, %s with the engine and its check\n", bench.Duration(s.VersionSeconds), bench.Duration(s.DoctorSeconds))
	fmt.Fprintf(a.out, "first    %s to make the network, %s for the first step with its compilation, %s for the second\n",
		bench.Duration(s.NetworkSeconds), bench.Duration(s.FirstStepSeconds), bench.Duration(s.SecondStepSeconds))
}
