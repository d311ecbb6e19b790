package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// benchScalingCommand measures how the time of training grows.
func (a *app) benchScalingCommand() *cobra.Command {
	var flags variationFlags
	return flags.command("scaling", "Measure how the time of training grows with samples, images and epochs", func(ctx context.Context, network nbbnn.Network) error {
		measure := func(variable string) (bench.Scaling, error) { return a.scale(ctx, flags, network, variable) }
		return measureEach(a, []string{"samples", "images", "epochs"}, measure, flags.out, (*bench.Record).PutScaling, a.printScalings)
	})
}

// scale runs processes with 1, 2, 4 and 8 times as much of one thing in turn. An epoch is a fixed number of steps.
func (a *app) scale(ctx context.Context, flags variationFlags, network nbbnn.Network, variable string) (bench.Scaling, error) {
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
