package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/viz"
)

// Result is one measurement of a step, ours or PyTorch's; both use these names in JSON.
type Result struct {
	What       string `json:"what"` // "train", "evaluate"
	Network    string `json:"network"`
	Width      int    `json:"width"`
	Side       int    `json:"side"` // of the images, in pixels
	Classes    int    `json:"classes"`
	Images     int    `json:"images"`  // of a step
	Samples    int    `json:"samples"` // of each image
	Components int    `json:"components"`
	Mode       string `json:"mode"`
	Precision  string `json:"precision,omitempty"` // of convolutions and activations; "" is float32
	Parameters int    `json:"parameters"`          // deterministic ones

	Steps         int     `json:"steps"`          // timed, without warm-up
	MedianSeconds float64 `json:"median_seconds"` // of a step
	Seconds       Spread  `json:"seconds"`
	RowsPerSecond float64 `json:"rows_per_second"`
	// 1e9 floating-point operations a second in the layers with weights
	GFLOPS float64 `json:"gflops"`
	// of the process or device; 0 if unknown
	PeakMemory int64 `json:"peak_memory_bytes"`

	LearningRate float64 `json:"learning_rate,omitempty"`
	// of all steps with --save, also warm-up
	Losses []float64 `json:"losses,omitempty"`

	Engine string `json:"engine"`
	// in the words of its driver; "" for the processor
	Device  string          `json:"device,omitempty"`
	Cores   int             `json:"cores"` // in use
	Machine machine.Machine `json:"machine"`
	Commit  string          `json:"commit"` // of the program; PyTorch's version
}

// stepFlags select what is timed.
type stepFlags struct {
	workload      trial.Workload
	steps, warmUp int
	save          string
}

// stepCommand returns the command that times a kind of step.
func stepCommand(a *app, name, short string, take func(context.Context, stepFlags) (Result,
	error)) *cobra.Command {
	var flags stepFlags
	command := &cobra.Command{
		Use: name, Short: short, Example: "  bench " +
			name + " --network resnet18 --width 16 --json",
		RunE: func(c *cobra.Command, _ []string) error {
			return timeStep(c.Context(), a, flags, take)
		},
	}
	flags.add(command.Flags())
	return command
}

func (f *stepFlags) add(flags *pflag.FlagSet) {
	c := &f.workload.Settings
	flags.StringVar(&c.Network.Name, "network", "allcnnc", "network: allcnnc, vgg16, resnet18 or "+
		"preactresnet18")
	flags.IntVar(&c.Network.Width, "width", 0, "channels of the first layers; 0 means the "+
		"published width")
	flags.StringVar(&c.Network.Precision, "precision", "",
		"of convolutions and activations: float32, or bfloat16 on XLA")
	flags.IntVar(&c.Training.Batch, "images", 32, "images of a step")
	flags.IntVar(&c.Training.Samples, "samples", 4, "samples of the latents for each image")
	flags.IntVar(&c.Posterior.Components, "components", 1, "components K of the posterior")
	flags.Float64Var(&c.Training.LearningRate, "learning-rate", 0, "of weights and posterior; 0 "+
		"means 0.001, which stays stable on random labels")
	flags.IntVar(&f.workload.Height, "side", 0, "side of the images in pixels; 0 means 64 for "+
		"preactresnet18, else 32")
	flags.IntVar(&f.steps, "steps", 10, "steps that are timed")
	flags.IntVar(&f.warmUp, "warm-up", 2, "steps before those, which aren't timed")
	flags.StringVar(&f.save, "save", "", "write the images, weights and draws of the training "+
		"step to a file, for another program to repeat")
}

// timeStep checks the flags, times and prints.
func timeStep(ctx context.Context, a *app, flags stepFlags,
	take func(context.Context, stepFlags) (Result, error)) error {
	if err := flags.workload.Validate(); err != nil {
		return commandline.Usage(err)
	}
	if flags.steps < 1 || flags.warmUp < 0 {
		return commandline.Usagef("bench: %d steps, %d warm-up steps: give at least "+
			"one step and no negative number", flags.steps, flags.warmUp)
	}
	machine.ResetPeakMemory()
	result, err := take(ctx, flags)
	if err != nil {
		return err
	}
	return a.print(result, func() viz.Table {
		return viz.Table{Labels: 2, Header: []string{result.Engine, "network", "rows", "step",
			"quartiles", "rows/s", "GFLOP/s", "memory"}, Rows: [][]string{{
			result.What, result.Network + ":" + strconv.Itoa(result.Width),
			fmt.Sprintf("%d x %d", result.Images, result.Samples),
			quantity.Seconds(result.MedianSeconds), result.Seconds.quartiles(quantity.Seconds),
			quantity.Thousands(result.RowsPerSecond),
			fmt.Sprintf("%.0f", result.GFLOPS), quantity.Bytes(result.PeakMemory),
		}}}
	})
}

func timeTraining(ctx context.Context, flags stepFlags) (Result, error) {
	steps, err := trial.NewTraining(flags.workload)
	if err != nil {
		return Result{}, err
	}
	if flags.save != "" {
		if err := steps.Save(flags.save, flags.warmUp+flags.steps); err != nil {
			return Result{}, err
		}
	}
	var losses []float64
	result, err := flags.time(ctx, timed{
		what: "train", operations: flags.workload.TrainingOperations(),
		atOnce: steps.StepsPerCall(), memory: steps.DeviceMemory,
		call: func() error {
			nll, err := steps.Step()
			losses = append(losses, nll)
			return err
		},
	})
	if flags.save != "" {
		result.Losses, result.LearningRate = losses,
			flags.workload.WithDefaults().Settings.Training.LearningRate
	}
	return result, err
}

func timePrediction(ctx context.Context, flags stepFlags) (Result, error) {
	steps, err := trial.NewPrediction(flags.workload)
	if err != nil {
		return Result{}, err
	}
	return flags.time(ctx, timed{
		what: "evaluate", operations: flags.workload.PredictionOperations(), atOnce: 1,
		memory: steps.DeviceMemory,
		call:   func() error { return steps.Predict(ctx) },
	})
}

type timed struct {
	what       string
	operations float64      // of a step
	call       func() error // takes atOnce steps
	atOnce     int
	memory     func() int64 // bytes of the device that a call needs; 0 if unknown
}

// leastCalls is the least number of timed calls of many steps, for a median.
const leastCalls = 3

func (f stepFlags) time(ctx context.Context, work timed) (Result, error) {
	opened, err := engine.Open()
	if err != nil {
		return Result{}, err
	}
	warmUp, calls := f.warmUp, f.steps
	if work.atOnce > 1 {
		warmUp, calls = min(1, f.warmUp), max(leastCalls, f.steps/work.atOnce)
	}
	seconds, err := repeat(ctx, warmUp, calls, work.call)
	if err != nil {
		return Result{}, err
	}
	for i := range seconds {
		seconds[i] /= float64(work.atOnce)
	}
	w := f.workload.WithDefaults()
	result := Result{
		What: work.what, Network: w.Settings.Network.Name, Width: w.Settings.Network.Width,
		Side: w.Height, Classes: w.Classes,
		Images: w.Settings.Training.Batch, Samples: w.Settings.Training.Samples,
		Components: w.Settings.Posterior.Components,
		Mode:       string(w.Settings.Posterior.Mode),
		Precision:  w.Settings.Network.Precision,
		Parameters: w.Parameters(),
		Steps:      calls * work.atOnce, Seconds: newSpread(seconds),
		PeakMemory: machine.PeakMemory(),
		Engine:     opened.Name, Cores: opened.Cores, Machine: machine.Describe(),
		Commit: machine.Version(),
	}
	result.MedianSeconds = result.Seconds.Median
	result.RowsPerSecond, result.GFLOPS = float64(w.Rows())/result.MedianSeconds,
		work.operations/result.MedianSeconds/1e9
	if opened.IsDevice() { // the process's memory doesn't measure it
		result.Device, result.PeakMemory = opened.Backend.DeviceDescription(0), work.memory()
	}
	return result, nil
}

// repeat calls do warmUp times, then count times with the clock running. It returns the seconds of
// each timed call, and stops between two calls when the context is cancelled.
func repeat(ctx context.Context, warmUp, count int, do func() error) (seconds []float64,
	err error) {
	for i := range warmUp + count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		started := time.Now()
		if err := do(); err != nil {
			return nil, err
		}
		if i >= warmUp {
			seconds = append(seconds, time.Since(started).Seconds())
		}
	}
	return seconds, nil
}
