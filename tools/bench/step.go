package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gomlx/compute/dtypes"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// training measures a training step and prints it.
func training(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := benchTrain(ctx, flags)
	if err != nil || a.json {
		return result, err
	}
	return result, printResults(a, result)
}

// evaluating measures a prediction and prints it.
func evaluating(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := benchEvaluate(ctx, flags)
	if err != nil || a.json {
		return result, err
	}
	return result, printResults(a, result)
}

func benchTrain(ctx context.Context, flags benchFlags) (measure.Result, error) {
	start := startMemory()
	steps, err := trial.NewTraining(flags.workload)
	if err != nil {
		return measure.Result{}, err
	}
	if flags.save != "" {
		if err := steps.Save(flags.save, flags.warmUp+flags.steps); err != nil {
			return measure.Result{}, err
		}
	}
	var losses []float64
	step := func() error {
		nll, err := steps.Step()
		losses = append(losses, nll)
		return err
	}
	result, err := flags.time(ctx, timedWork{
		what: "train", operations: flags.workload.TrainingOperations(), start: start,
		call: step, stepsAtOnce: steps.StepsPerCall(), deviceMemory: steps.DeviceMemory,
	})
	if flags.save != "" {
		result.Losses, result.LearningRate = losses, flags.workload.WithDefaults().Settings.Training.LearningRate
	}
	return result, err
}

func benchEvaluate(ctx context.Context, flags benchFlags) (measure.Result, error) {
	start := startMemory()
	steps, err := trial.NewPrediction(flags.workload)
	if err != nil {
		return measure.Result{}, err
	}
	return flags.time(ctx, timedWork{
		what: "evaluate", operations: flags.workload.PredictionOperations(), start: start,
		call: func() error { return steps.Predict(ctx) }, stepsAtOnce: 1, deviceMemory: steps.DeviceMemory,
	})
}

// startMemory resets the peak memory and returns the memory that the program uses now.
func startMemory() int64 {
	machine.ResetPeakMemory()
	return machine.PeakMemory()
}

// timedWork is the work that time measures.
type timedWork struct {
	what         string
	operations   float64      // of a step
	start        int64        // bytes in use before
	call         func() error // takes stepsAtOnce steps
	stepsAtOnce  int
	deviceMemory func() int64 // bytes that a call needs; 0 if unknown
}

// leastCalls is the number of calls of many steps that are timed at least, so that there is a
// median.
const leastCalls = 3

// time measures the steps. It reads the peak memory before the plain product, which needs memory
// too.
func (f benchFlags) time(ctx context.Context, work timedWork) (measure.Result, error) {
	opened, err := engine.Open()
	if err != nil {
		return measure.Result{}, err
	}
	warmUp, calls := f.warmUp, f.steps
	if work.stepsAtOnce > 1 {
		warmUp, calls = min(1, f.warmUp), max(leastCalls, f.steps/work.stepsAtOnce)
	}
	seconds, err := measure.Repeat(ctx, warmUp, calls, work.call)
	if err != nil {
		return measure.Result{}, err
	}
	result := measure.Result{
		What: work.what, Workload: f.describe(), Operations: work.operations, PeakMemory: machine.PeakMemory(), StartMemory: work.start,
		Engine: opened.Name, Cores: opened.Cores, Machine: machine.Describe(), Commit: commandline.Version(),
	}
	if work.stepsAtOnce > 1 {
		result.StepsAtOnce = work.stepsAtOnce
	}
	if opened.IsDevice() { // the process's own memory says nothing about it
		result.Device = opened.Backend.DeviceDescription(0)
		result.PeakMemory, result.StartMemory = work.deviceMemory(), 0
	}
	peak, err := peakProduct(ctx, opened, f.workload.Settings.Network.Precision)
	if err != nil {
		return measure.Result{}, err
	}
	result.PeakGFLOPS = peak / 1e9
	result.Time(seconds)
	return result, nil
}

// peakProduct measures a plain product, on a device in the precision of the convolutions.
func peakProduct(ctx context.Context, opened *engine.Engine, precision network.Precision) (float64, error) {
	if !opened.IsDevice() {
		return measure.PeakProduct(ctx, opened.Backend)
	}
	dtype := dtypes.Float32
	if precision == network.BFloat16 {
		dtype = dtypes.BFloat16
	}
	return measure.PeakDeviceProduct(ctx, opened.Backend, measure.DeviceSide, dtype)
}

// describe names the workload for the result.
func (f benchFlags) describe() measure.Workload {
	w := f.workload.WithDefaults()
	return measure.Workload{
		Network: w.Settings.Network.Name, Width: w.Settings.Network.Width, Side: w.Side, Classes: w.Classes,
		Images: w.Settings.Training.Batch, Samples: w.Settings.Training.Samples, Components: w.Settings.Posterior.Components,
		Mode: string(w.Settings.Posterior.Mode), Precision: string(w.Settings.Network.Precision), Parameters: w.Parameters(),
	}
}

// printResults prints a row for each result.
func printResults(a *app, results ...measure.Result) error {
	table := viz.Table{
		Header: []string{"", "network", "width", "rows", "step", "quartiles", "rows/s", "GFLOP/s", "of peak", "memory"},
		Labels: 2,
	}
	for _, r := range results {
		table.Rows = append(table.Rows, []string{
			r.What, r.Network, strconv.Itoa(r.Width), fmt.Sprintf("%d x %d", r.Images, r.Samples),
			quantity.Seconds(r.MedianSeconds), quantity.Seconds(r.Seconds.FirstQuartile) + " to " + quantity.Seconds(r.Seconds.ThirdQuartile),
			quantity.Thousands(r.RowsPerSecond), fmt.Sprintf("%.0f", r.GFLOPS), fmt.Sprintf("%.2f", r.FractionOfPeak), quantity.Bytes(r.PeakMemory),
		})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	return nil
}
