package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// scalingFlags are the flags of the measurements that vary one thing.
type scalingFlags struct {
	network string
	rounds  int
	steps   int
	out     string
}

func (f *scalingFlags) command(use, short string, do func(context.Context, nbbnn.Network) error) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Example: "  nbbnn bench " + use + " --network allcnnc:24", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			network, err := parseNetwork(f.network)
			if err != nil {
				return asUsage(err)
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

// benchScalingCommand measures how the time of training grows.
func (a *app) benchScalingCommand() *cobra.Command {
	var flags scalingFlags
	return flags.command("scaling", "Measure how the time of training grows with samples, images and epochs", func(ctx context.Context, network nbbnn.Network) error {
		var all []bench.Scaling
		for _, variable := range []string{"samples", "images", "epochs"} {
			scaling, err := a.scale(ctx, flags, network, variable)
			if err != nil {
				return err
			}
			if err := record(flags.out, func(r *bench.Record) { r.PutScaling(scaling) }); err != nil {
				return err
			}
			all = append(all, scaling)
		}
		if a.json {
			return a.printJSON(all)
		}
		return a.printScalings(all)
	})
}

// scale runs processes with 1, 2, 4 and 8 times as much of one thing in turn. An epoch is a fixed number of steps.
func (a *app) scale(ctx context.Context, flags scalingFlags, network nbbnn.Network, variable string) (bench.Scaling, error) {
	base := map[string]int{"samples": 1, "images": 16, "epochs": 1}[variable]
	scaling := bench.Scaling{Variable: variable, Network: network.Name, Width: network.Width}
	var programs []bench.Program
	for _, factor := range []int{1, 2, 4, 8} {
		value := base * factor
		setting := map[string]int{"samples": 4, "images": 32, "epochs": 1}
		setting[variable] = value
		scaling.Values = append(scaling.Values, float64(value))
		program, err := ours(network, flags.steps*setting["epochs"], "--images", strconv.Itoa(setting["images"]), "--samples", strconv.Itoa(setting["samples"]))
		if err != nil {
			return scaling, err
		}
		programs = append(programs, program)
	}
	comparison, err := bench.Compare(ctx, programs, flags.rounds, func(round int) {
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
	scaling.Exponent = bench.Exponent(scaling.Values, scaling.Seconds)
	return scaling, nil
}

// ours is this program, timing training steps.
func ours(network nbbnn.Network, steps int, more ...string) (bench.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return bench.Program{}, fmt.Errorf("nbbnn bench: this program can't find its own file: %w: start it by its path", err)
	}
	command := []string{self, "bench", "train", "--json", "--network", network.Name, "--width", strconv.Itoa(network.Width), "--steps", strconv.Itoa(steps)}
	return bench.Program{Name: "nbbnn", Command: append(command, more...)}, nil
}

// benchSettingsCommand compares one core with all and four components with one.
func (a *app) benchSettingsCommand() *cobra.Command {
	var flags scalingFlags
	return flags.command("settings", "Compare one core with all cores, and four components with one", func(ctx context.Context, network nbbnn.Network) error {
		var all []bench.Comparison
		for _, setting := range []struct {
			name  string
			flags []string
		}{
			{"1 core", []string{"--threads", "1"}},
			{"4 components", []string{"--components", "4"}},
		} {
			comparison, err := a.compareSetting(ctx, flags, network, setting.name, setting.flags)
			if err != nil {
				return err
			}
			if err := record(flags.out, func(r *bench.Record) { r.PutSetting(comparison) }); err != nil {
				return err
			}
			all = append(all, comparison)
		}
		if a.json {
			return a.printJSON(all)
		}
		return a.printComparisons(all)
	})
}

// compareSetting runs the program as it is and with other flags in turn.
func (a *app) compareSetting(ctx context.Context, flags scalingFlags, network nbbnn.Network, name string, other []string) (bench.Comparison, error) {
	usual, err := ours(network, flags.steps)
	if err != nil {
		return bench.Comparison{}, err
	}
	usual.Name = "as it is"
	changed, err := ours(network, flags.steps, other...)
	if err != nil {
		return bench.Comparison{}, err
	}
	changed.Name = name
	return bench.Compare(ctx, []bench.Program{usual, changed}, flags.rounds, func(round int) {
		fmt.Fprintf(a.err, "settings %-14s round %d of %d\n", name, round, flags.rounds)
	})
}

// record changes the file of measurements, if there is to be one.
func record(path string, change func(*bench.Record)) error {
	if path == "" {
		return nil
	}
	return bench.Update(path, change)
}

func (a *app) printScalings(all []bench.Scaling) error {
	for _, s := range all {
		table := viz.Table{Header: []string{s.Variable, "seconds"}}
		for i, value := range s.Values {
			table.Rows = append(table.Rows, []string{fmt.Sprint(value), bench.Duration(s.Seconds[i])})
		}
		text, err := table.Text()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s\ntime grows with the power %.2f of the %s\n\n", text, s.Exponent, s.Variable)
	}
	return nil
}
