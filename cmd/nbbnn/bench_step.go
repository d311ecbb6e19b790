package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// training measures a training step and prints it.
func training(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := a.benchTrain(ctx, flags)
	if err != nil || a.json {
		return result, err
	}
	return result, a.printResults(result)
}

// evaluating measures a prediction and prints it.
func evaluating(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := a.benchEvaluate(ctx, flags)
	if err != nil || a.json {
		return result, err
	}
	return result, a.printResults(result)
}

func (a *app) benchTrain(ctx context.Context, flags benchFlags) (bench.Result, error) {
	start := startMemory()
	trial, err := nbbnn.NewTrainingTrial(flags.workload)
	if err != nil {
		return bench.Result{}, err
	}
	if flags.save != "" {
		if err := trial.Save(flags.save, flags.warmUp+flags.steps); err != nil {
			return bench.Result{}, err
		}
	}
	var losses []float64
	result, err := flags.measure(ctx, "train", flags.workload.TrainingOperations(), func() error {
		nll, err := trial.Step()
		losses = append(losses, nll)
		return err
	})
	result.StartMemory = start
	if flags.save != "" {
		result.Losses, result.LearningRate = losses, flags.workload.WithDefaults().Config.Training.LearningRate
	}
	return result, err
}

func (a *app) benchEvaluate(ctx context.Context, flags benchFlags) (bench.Result, error) {
	start := startMemory()
	trial, err := nbbnn.NewPredictionTrial(flags.workload)
	if err != nil {
		return bench.Result{}, err
	}
	result, err := flags.measure(ctx, "evaluate", flags.workload.PredictionOperations(), func() error { return trial.Predict(ctx) })
	result.StartMemory = start
	return result, err
}

// startMemory lets the count of the memory begin anew and returns what the program has now.
func startMemory() int64 {
	machine.ResetPeakMemory()
	return machine.PeakMemory()
}

// measure times a step. The memory is read before the plain product, which needs some of its own.
func (f benchFlags) measure(ctx context.Context, what string, operations float64, step func() error) (bench.Result, error) {
	seconds, err := bench.Repeat(ctx, f.warmUp, f.steps, step)
	if err != nil {
		return bench.Result{}, err
	}
	memory := machine.PeakMemory()
	opened, err := engine.Open()
	if err != nil {
		return bench.Result{}, err
	}
	peak, err := bench.PeakProduct(ctx, opened.Backend)
	if err != nil {
		return bench.Result{}, err
	}
	result := bench.Result{
		What: what, Workload: f.describe(), Operations: operations, PeakGFLOPS: peak / 1e9, PeakMemory: memory,
		Engine: opened.Name, Cores: opened.Cores, Machine: machine.Describe(), Commit: version(),
	}
	result.Time(seconds)
	return result, nil
}

// describe names the workload for the result.
func (f benchFlags) describe() bench.Workload {
	w := f.workload.WithDefaults()
	return bench.Workload{
		Network: w.Config.Network.Name, Width: w.Config.Network.Width, Side: w.Side, Classes: w.Classes,
		Images: w.Config.Training.Batch, Samples: w.Config.Training.Samples, Components: w.Config.Posterior.Components,
		Mode: string(w.Config.Posterior.Mode), Precision: string(w.Config.Network.Precision), Parameters: w.Parameters(),
	}
}

// printResults prints a row for each result.
func (a *app) printResults(results ...bench.Result) error {
	table := viz.Table{
		Header: []string{"", "network", "width", "rows", "step", "quartiles", "rows/s", "GFLOP/s", "of peak", "memory"},
		Labels: 2,
	}
	for _, r := range results {
		table.Rows = append(table.Rows, []string{
			r.What, r.Network, strconv.Itoa(r.Width), fmt.Sprintf("%d x %d", r.Images, r.Samples),
			bench.Duration(r.MedianSeconds), bench.Duration(r.Seconds.FirstQuartile) + " to " + bench.Duration(r.Seconds.ThirdQuartile),
			thousands(r.RowsPerSecond), fmt.Sprintf("%.0f", r.GFLOPS), fmt.Sprintf("%.2f", r.FractionOfPeak), bench.Bytes(r.PeakMemory),
		})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	return nil
}
