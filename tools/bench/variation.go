package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// variationFlags are the flags of the measurements that vary one thing.
type variationFlags struct {
	network string
	rounds  int
	steps   int
	out     string
}

// command is a command with these flags.
func (f *variationFlags) command(use, short string, do func(context.Context, network.Network) error) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Example: "  bench " + use + " --network allcnnc:24", Args: commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			network, err := parseNetwork(f.network)
			if err != nil {
				return commandline.Usage(err)
			}
			return do(c.Context(), network)
		},
	}
	command.Flags().StringVar(&f.network, "network", "allcnnc:24", "network and its width")
	command.Flags().IntVar(&f.rounds, "rounds", 5, "processes of each setting")
	command.Flags().IntVar(&f.steps, "steps", 10, "steps that each process times")
	command.Flags().StringVar(&f.out, "out", "", "JSON file of this machine's measurements, which is brought up to date")
	return command
}

// ours is this program, timing training steps.
func ours(net network.Network, steps int, more ...string) (measure.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return measure.Program{}, fmt.Errorf("bench: this program can't find its own file: %w: start it by its path", err)
	}
	command := []string{self, "train", "--json", "--network", net.Name, "--width", strconv.Itoa(net.Width), "--steps", strconv.Itoa(steps)}
	return measure.Program{Name: "nbbnn", Command: append(command, more...)}, nil
}

// measureEach measures one thing after the other, keeps each result in the file of measurements, if
// there is to be one, and prints them all: as JSON, or as print does.
func measureEach[Thing, Result any](a *app, things []Thing, take func(Thing) (Result, error),
	path string, put func(*measure.Record, Result), print func(*app, []Result) error) error {
	var all []Result
	for _, thing := range things {
		result, err := take(thing)
		if err != nil {
			return err
		}
		if err := record(path, func(r *measure.Record) { put(r, result) }); err != nil {
			return err
		}
		all = append(all, result)
	}
	if a.json {
		return a.printJSON(all)
	}
	return print(a, all)
}

// record changes the file of measurements, if there is to be one.
func record(path string, change func(*measure.Record)) error {
	if path == "" {
		return nil
	}
	return measure.Update(path, change)
}

// setting is a way to start this program that is compared with the usual one.
type setting struct {
	name        string
	flags       []string
	environment []string
	copies      int
}

// settings are one core next to all, several copies at once on one core each, four components next
// to one, a post hoc training next to a full one, and AVX2 next to AVX-512 where the processor has
// both.
func settings() []setting {
	all := []setting{
		{name: "1 core", flags: []string{"--threads", "1"}},
		{name: measure.Copies, flags: []string{"--threads", "1"}, copies: runtime.GOMAXPROCS(0)},
		{name: "4 components", flags: []string{"--components", "4"}},
		{name: measure.FrozenWeights, flags: []string{"--posthoc"}},
	}
	if executor.AVX512.IsAssembly() && executor.AVX2.IsAssembly() {
		all = append(all, setting{name: measure.OlderKernels, environment: []string{executor.Setting + "=" + string(executor.AVX2)}})
	}
	return all
}

// benchSettingsCommand compares settings with the usual one.
func benchSettingsCommand(a *app) *cobra.Command {
	var flags variationFlags
	return flags.command("settings", "Compare one core, and a copy on each, with all cores, four components with one, frozen weights with a full training, and AVX2 with AVX-512", func(ctx context.Context, net network.Network) error {
		compare := func(s setting) (measure.Comparison, error) { return compareSetting(ctx, a, flags, net, s) }
		return measureEach(a, settings(), compare, flags.out, (*measure.Record).PutSetting, printComparisons)
	})
}

// compareSetting runs the program as it is and with other flags in turn.
func compareSetting(ctx context.Context, a *app, flags variationFlags, net network.Network, other setting) (measure.Comparison, error) {
	usual, err := ours(net, flags.steps)
	if err != nil {
		return measure.Comparison{}, err
	}
	usual.Name = "as it is"
	changed, err := ours(net, flags.steps, other.flags...)
	if err != nil {
		return measure.Comparison{}, err
	}
	changed.Name, changed.Environment, changed.Copies = other.name, other.environment, other.copies
	return measure.Compare(ctx, []measure.Program{usual, changed}, flags.rounds, func(round int) {
		fmt.Fprintf(a.err, "settings %-14s round %d of %d\n", other.name, round, flags.rounds)
	})
}

// benchScalingCommand measures how the time of training grows.
func benchScalingCommand(a *app) *cobra.Command {
	var flags variationFlags
	return flags.command("scaling", "Measure how the time of training grows with samples, images and epochs", func(ctx context.Context, net network.Network) error {
		scale := func(variable string) (measure.Scaling, error) { return measureScaling(ctx, a, flags, net, variable) }
		return measureEach(a, []string{"samples", "images", "epochs"}, scale, flags.out, (*measure.Record).PutScaling, printScalings)
	})
}

// measureScaling runs processes with 1, 2, 4 and 8 times as much of one thing in turn. An epoch is
// a fixed number of steps.
func measureScaling(ctx context.Context, a *app, flags variationFlags, net network.Network, variable string) (measure.Scaling, error) {
	base := map[string]int{"samples": 1, "images": 16, "epochs": 1}[variable]
	scaling := measure.Scaling{Variable: variable, Network: net.Name, Width: net.Width}
	var programs []measure.Program
	for _, factor := range []int{1, 2, 4, 8} {
		value := base * factor
		setting := map[string]int{"samples": 4, "images": 32, "epochs": 1}
		setting[variable] = value
		scaling.Values = append(scaling.Values, float64(value))
		program, err := ours(net, flags.steps*setting["epochs"], "--images", strconv.Itoa(setting["images"]), "--samples", strconv.Itoa(setting["samples"]))
		if err != nil {
			return scaling, err
		}
		programs = append(programs, program)
	}
	comparison, err := measure.Compare(ctx, programs, flags.rounds, func(round int) {
		fmt.Fprintf(a.err, "scaling  %-8s round %d of %d\n", variable, round, flags.rounds)
	})
	if err != nil {
		return scaling, err
	}
	for _, entry := range comparison.Entries {
		seconds := entry.Seconds.Median
		if variable == "epochs" {
			seconds = entry.Total.Median
		}
		scaling.Seconds = append(scaling.Seconds, seconds)
	}
	scaling.Exponent = measure.Exponent(scaling.Values, scaling.Seconds)
	return scaling, nil
}

func printScalings(a *app, all []measure.Scaling) error {
	for _, s := range all {
		table := viz.Table{Header: []string{s.Variable, "seconds"}}
		for i, value := range s.Values {
			table.Rows = append(table.Rows, []string{fmt.Sprint(value), quantity.Seconds(s.Seconds[i])})
		}
		text, err := table.Text()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s\ntime grows with the power %.2f of the %s\n\n", text, s.Exponent, s.Variable)
	}
	return nil
}
