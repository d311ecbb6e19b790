// Command bench is the workshop's stopwatch: it measures how fast this machine trains, evaluates,
// corrupts and starts, compares with PyTorch and XLA, checks that two engines agree, and writes the
// page of measurements:
//
//	go run ./tools/bench train --network allcnnc --width 96
//	go run ./tools/bench peers --python .cache/peers/bin/python
//	go run ./tools/bench agree --network resnet18 --width 8
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/tools/bench/measure"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{out: stdout, err: stderr}
	return commandline.Run(ctx, rootCommand(a), args, stdout, stderr)
}

// app holds the streams and the flags that all commands share.
type app struct {
	out, err io.Writer
	json     bool   // --json
	program  string // --program, the user's binary
}

// announceEngine opens the engine and prints its name.
func announceEngine(a *app) error {
	opened, err := engine.Open()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "engine   %s, %s\n", opened.Name, quantity.Count(opened.Cores, "core"))
	return nil
}

// printJSON writes a value to standard output.
func (a *app) printJSON(value any) error { return files.WriteJSON(a.out, value) }

// benchFlags are the flags of the benchmarks.
type benchFlags struct {
	workload trial.Workload
	steps    int
	warmUp   int
	threads  int
	save     string
	out      string
}

func rootCommand(a *app) *cobra.Command {
	var flags benchFlags
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine trains, evaluates, corrupts and starts",
		Long: "Measure how fast this machine trains, evaluates, corrupts and starts; without a subcommand, all four.\n" +
			"Training and evaluation compute the graphs of `nbbnn train` and `nbbnn evaluate` on random images;\n" +
			"no data set is needed.",
		Example: "  bench\n  bench train --network allcnnc --width 96 --images 32 --samples 4 --steps 10 --json",
		Args:    commandline.Subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return bench(c.Context(), a, flags, everything) },
	}
	flags.addAll(command.Flags())
	command.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON on standard output")
	command.PersistentFlags().StringVar(&a.program, "program", "bin/nbbnn", "the program whose start and estimates are measured")
	command.CompletionOptions.DisableDefaultCmd = true
	command.AddCommand(
		benchOne(a, "train", "Measure one training step", training, flags.addAll, &flags),
		benchOne(a, "evaluate", "Measure the prediction of images", evaluating, flags.addAll, &flags),
		benchOne(a, "corrupt", "Measure the making of corrupted images", corrupting, flags.addImages, &flags),
		benchOne(a, "start", "Measure how long it takes until the first result", starting, flags.addWorkload, &flags),
		benchPeersCommand(a), benchScalingCommand(a), benchSettingsCommand(a), benchMethodsCommand(a), benchEstimateCommand(a),
		benchProfileCommand(a), agreeCommand(a), programCommand(a), pageCommand(),
	)
	return command
}

// benchOne returns the command of one benchmark.
func benchOne(a *app, name, short string, what benchmark, add func(*pflag.FlagSet), flags *benchFlags) *cobra.Command {
	command := &cobra.Command{
		Use: name, Short: short, Example: "  bench " + name + " --json",
		Args: commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error { return bench(c.Context(), a, *flags, what) },
	}
	add(command.Flags())
	return command
}

func (f *benchFlags) addAll(flags *pflag.FlagSet) {
	f.addWorkload(flags)
	flags.IntVar(&f.steps, "steps", 10, "steps that are timed")
	flags.IntVar(&f.warmUp, "warm-up", 2, "steps before those, which aren't timed")
	flags.StringVar(&f.save, "save", "", "write the images, weights and draws of the training step to a file, for another program to repeat")
	flags.Float64Var(&f.workload.Settings.Training.LearningRate, "learning-rate", 0, "learning rate of weights and posterior; 0 means 0.001, low enough to stay stable on random labels")
}

// addWorkload makes flags of what is computed.
func (f *benchFlags) addWorkload(flags *pflag.FlagSet) {
	c := &f.workload.Settings
	flags.StringVar(&c.Network.Name, "network", "allcnnc", "network: allcnnc, vgg16, resnet18 or preactresnet18")
	flags.IntVar(&c.Network.Width, "width", 0, "channels of the first layers; 0 means the published width")
	flags.StringVar((*string)(&c.Network.Precision), "precision", "", "of convolutions and activations: float32, or bfloat16 on XLA")
	flags.IntVar(&c.Training.Samples, "samples", 4, "samples of the latents for each image")
	flags.IntVar(&c.Posterior.Components, "components", 1, "components K of the posterior")
	flags.StringVar((*string)(&c.Posterior.Mode), "mode", "", "noisy side of each layer: in, out, both or none; \"\" means out, or none with a method without latents")
	flags.StringVar((*string)(&f.workload.Method.Name), "method", "", "method that trains, such as sam; \"\" means nodebnn")
	flags.IntVar(&f.workload.Method.SubBatches, "sub-batches", 0, "parts of a batch with factors of their own, of damp; 0 means 8, or the largest divisor of the images below")
	flags.BoolVar(&c.FrozenWeights, "posthoc", false, "train the latents alone, with frozen weights")
	flags.IntVar(&f.workload.Classes, "classes", 0, "classes; 0 means 200 for preactresnet18, else 10")
	f.addImages(flags)
}

// addImages makes flags of the images and of the machine.
func (f *benchFlags) addImages(flags *pflag.FlagSet) {
	flags.IntVar(&f.workload.Settings.Training.Batch, "images", 32, "images of a step")
	flags.IntVar(&f.workload.Side, "side", 0, "side of the images in pixels; 0 means 64 for preactresnet18, else 32")
	flags.StringVar(&f.out, "out", "", "JSON file of this machine's measurements, in which corruption and start are brought up to date")
	flags.IntVar(&f.threads, "threads", 0, "processor cores to use; 0 means all")
}

// benchmark measures, and prints unless what it returns is to be printed as JSON.
type benchmark func(ctx context.Context, a *app, flags benchFlags) (any, error)

// bench checks the flags and measures.
func bench(ctx context.Context, a *app, flags benchFlags, what benchmark) error {
	if err := flags.workload.Validate(); err != nil {
		return commandline.Usage(err)
	}
	if flags.threads < 0 || flags.steps < 0 || flags.warmUp < 0 {
		return commandline.Usage(fmt.Errorf("bench: %d threads, %d steps, %d warm-up steps: give numbers that aren't negative",
			flags.threads, flags.steps, flags.warmUp))
	}
	if flags.threads > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(flags.threads))
	}
	if err := announceEngine(a); err != nil {
		return err
	}
	result, err := what(ctx, a, flags)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(result)
	}
	return nil
}

// summary is the JSON of all four benchmarks.
type summary struct {
	Train    measure.Result     `json:"train"`
	Evaluate measure.Result     `json:"evaluate"`
	Corrupt  measure.Corruption `json:"corrupt"`
	Start    measure.Start      `json:"start"`
}

// everything measures all four.
func everything(ctx context.Context, a *app, flags benchFlags) (any, error) {
	var all summary
	var err error
	if all.Start, err = benchStart(ctx, a, flags); err != nil {
		return nil, err
	}
	if all.Train, err = benchTrain(ctx, flags); err != nil {
		return nil, err
	}
	if all.Evaluate, err = benchEvaluate(ctx, flags); err != nil {
		return nil, err
	}
	if all.Corrupt, err = benchCorrupt(ctx, flags); err != nil {
		return nil, err
	}
	if a.json {
		return all, nil
	}
	if err := printResults(a, all.Train, all.Evaluate); err != nil {
		return nil, err
	}
	printStart(a, all.Start)
	return all, printCorruption(a, all.Corrupt)
}
