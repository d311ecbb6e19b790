package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gomlx/compute/dtypes"

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
	step := func() error {
		nll, err := trial.Step()
		losses = append(losses, nll)
		return err
	}
	result, err := flags.measure(ctx, timedWork{
		what: "train", operations: flags.workload.TrainingOperations(), start: start,
		call: step, stepsAtOnce: trial.StepsAtOnce(), deviceMemory: trial.DeviceMemory,
	})
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
	return flags.measure(ctx, timedWork{
		what: "evaluate", operations: flags.workload.PredictionOperations(), start: start,
		call: func() error { return trial.Predict(ctx) }, stepsAtOnce: 1, deviceMemory: trial.DeviceMemory,
	})
}

// startMemory lets the count of the memory begin anew and returns what the program has now.
func startMemory() int64 {
	machine.ResetPeakMemory()
	return machine.PeakMemory()
}

// timedWork is what measure times.
type timedWork struct {
	what         string
	operations   float64      // of a step
	start        int64        // bytes that the process had before
	call         func() error // takes stepsAtOnce steps
	stepsAtOnce  int
	deviceMemory func() int64 // that a call needs, in bytes; 0 if nobody tells
}

// leastCalls is the number of calls of many steps that are timed at least, so that there is a median.
const leastCalls = 3

// measure times the steps. The memory is read before the plain product, which needs some of its own.
func (f benchFlags) measure(ctx context.Context, work timedWork) (bench.Result, error) {
	opened, err := engine.Open()
	if err != nil {
		return bench.Result{}, err
	}
	warmUp, calls := f.warmUp, f.steps
	if work.stepsAtOnce > 1 {
		warmUp, calls = min(1, f.warmUp), max(leastCalls, f.steps/work.stepsAtOnce)
	}
	seconds, err := bench.Repeat(ctx, warmUp, calls, work.call)
	if err != nil {
		return bench.Result{}, err
	}
	result := bench.Result{
		What: work.what, Workload: f.describe(), Operations: work.operations, PeakMemory: machine.PeakMemory(), StartMemory: work.start,
		Engine: opened.Name, Cores: opened.Cores, Machine: machine.Describe(), Commit: version(),
	}
	if work.stepsAtOnce > 1 {
		result.StepsAtOnce = work.stepsAtOnce
	}
	if opened.IsDevice() { // the process's own memory says nothing about it
		result.Device = opened.Backend.DeviceDescription(0)
		result.PeakMemory, result.StartMemory = work.deviceMemory(), 0
	}
	peak, err := peakProduct(ctx, opened, f.workload.Config.Network.Precision)
	if err != nil {
		return bench.Result{}, err
	}
	result.PeakGFLOPS = peak / 1e9
	result.Time(seconds)
	return result, nil
}

// peakProduct measures a plain product, on a device in the precision of the convolutions.
func peakProduct(ctx context.Context, opened *engine.Engine, precision nbbnn.Precision) (float64, error) {
	if !opened.IsDevice() {
		return bench.PeakProduct(ctx, opened.Backend)
	}
	dtype := dtypes.Float32
	if precision == nbbnn.BFloat16 {
		dtype = dtypes.BFloat16
	}
	return bench.PeakDeviceProduct(ctx, opened.Backend, bench.DeviceSide, dtype)
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
