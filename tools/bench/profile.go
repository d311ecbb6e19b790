package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// profileFlags are the flags of the profile.
type profileFlags struct {
	benchFlags
	what   string
	rounds int
	rows   int
}

func benchProfileCommand(a *app) *cobra.Command {
	var flags profileFlags
	command := &cobra.Command{
		Use: "profile", Short: "Show which operations take the time of a step, on one core and on all",
		Long: "Show which operations take the time of a step, on one core and on all, and why all cores together aren't that many times as fast:\n" +
			"alone is the time in which one core works, waiting that until all cores have begun and ended, slower what the same work takes longer\n" +
			"when all cores are at it. It's for the pure-Go engine with its kernels.",
		Example: "  bench profile --network resnet18 --width 16", Args: commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			if flags.rounds < 1 || flags.steps < 1 || flags.rows < 0 {
				return commandline.Usage(fmt.Errorf("bench profile: %d rounds of %d steps, %d rows: give 1 or more of the first two, and no negative number of rows",
					flags.rounds, flags.steps, flags.rows))
			}
			return bench(c.Context(), a, flags.benchFlags, func(ctx context.Context, a *app, _ benchFlags) (any, error) { return benchProfile(ctx, a, flags) })
		},
	}
	f := command.Flags()
	flags.addWorkload(f)
	f.StringVar(&flags.what, "what", "train", "step to look into: train or evaluate")
	f.IntVar(&flags.rounds, "rounds", 5, "times that one core and all cores are used in turn")
	f.IntVar(&flags.steps, "steps", 3, "steps that are timed each time, after one that isn't")
	f.IntVar(&flags.rows, "rows", 20, "operations in the table, those with the largest losses")
	return command
}

// benchProfile measures and prints.
func benchProfile(ctx context.Context, a *app, flags profileFlags) (any, error) {
	step, err := flags.step(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := engine.Open()
	if err != nil {
		return nil, err
	}
	if !opened.IsObservable() {
		return nil, commandline.Usage(fmt.Errorf("bench: %s can't be looked into, only the pure-Go engine with kernels: unset GOMLX_BACKEND and NBBNN_KERNELS", opened.Name))
	}
	cores := runtime.GOMAXPROCS(0)
	profiler := measure.NewProfiler()
	for range flags.rounds {
		for _, used := range []int{1, cores} {
			if err := flags.take(ctx, profiler, used, step); err != nil {
				return nil, err
			}
		}
	}
	profile := profiler.Profile(cores)
	profile.What, profile.Workload, profile.Engine = flags.what, flags.describe(), opened.Name
	profile.Machine, profile.Commit = machine.Describe(), commandline.Version()
	if err := record(flags.out, func(r *measure.Record) { r.PutProfile(profile) }); err != nil || a.json {
		return profile, err
	}
	return profile, printProfile(a, profile, flags.rows)
}

// step returns the step to profile.
func (f profileFlags) step(ctx context.Context) (func() error, error) {
	switch f.what {
	case "train":
		steps, err := trial.NewTraining(f.workload)
		return func() error {
			_, err := steps.Step()
			return err
		}, err
	case "evaluate":
		steps, err := trial.NewPrediction(f.workload)
		return func() error { return steps.Predict(ctx) }, err
	}
	return nil, commandline.Usage(fmt.Errorf("bench: unknown step %q: use train or evaluate", f.what))
}

// take times steps on a number of cores.
func (f profileFlags) take(ctx context.Context, profiler *measure.Profiler, cores int, step func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	if err := step(); err != nil { // rebuilds caches for the number of cores
		return err
	}
	for range f.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := profiler.Step(cores, step); err != nil {
			return err
		}
	}
	return nil
}

// printProfile prints the operations with the largest losses.
func printProfile(a *app, p measure.Profile, rows int) error {
	table := viz.Table{Header: []string{"operation", "output", "times", "1 core", fmt.Sprint(p.Cores, " cores"), "speed-up", "lost", "alone", "waiting", "slower"}, Labels: 2}
	for _, o := range append(p.Largest(rows), measure.Total("all", p.Operations)) {
		table.Rows = append(table.Rows, []string{
			o.Name, o.Shape, strconv.Itoa(o.Count), quantity.Seconds(o.One.Wall), quantity.Seconds(o.All.Wall), fmt.Sprintf("%.2f", o.SpeedUp()),
			quantity.Seconds(o.Lost(p.Cores)), quantity.Seconds(o.Alone(p.Cores)), quantity.Seconds(o.Waiting(p.Cores)), quantity.Seconds(o.Slower(p.Cores)),
		})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\nstep     %s on 1 core, %s on %d: %.2f times as fast\n", text, quantity.Seconds(p.OneSeconds.Median),
		quantity.Seconds(p.AllSeconds.Median), p.Cores, p.OneSeconds.Median/p.AllSeconds.Median)
	return nil
}
