package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// methodSettings are the ways to train whose steps are compared, the step of SGD first.
var methodSettings = []setting{
	methodSetting(baseline.MAP, ""), methodSetting(baseline.SAM, ""), methodSetting(baseline.ASAM, ""),
	methodSetting(baseline.SWAG, ""), methodSetting(baseline.CSGHMC, ""), methodSetting(baseline.MCDropout, ""),
	methodSetting(baseline.DAMP, ", "+measure.OneSubBatch, "--sub-batches", "1"),
	methodSetting(baseline.DAMP, ", "+measure.DefaultSubBatches, "--sub-batches", "8"),
	methodSetting(baseline.NodeBNN, ", 1 sample"),
	{name: baseline.NodeBNN.Title() + ", 4 samples", flags: []string{"--samples", "4"}},
}

// methodSetting trains with a method, and one sample of each image.
func methodSetting(name baseline.Name, detail string, flags ...string) setting {
	return setting{name: name.Title() + detail, flags: append([]string{"--method", string(name), "--samples", "1"}, flags...)}
}

// benchMethodsCommand measures a training step of every method in steps of SGD.
func benchMethodsCommand(a *app) *cobra.Command {
	var flags variationFlags
	var images int
	command := flags.command("methods", "Measure a training step of every method in steps of SGD", func(ctx context.Context, net network.Network) error {
		compare := func(images int) (measure.Comparison, error) { return compareMethods(ctx, a, flags, net, images) }
		return measureEach(a, []int{images}, compare, flags.out, (*measure.Record).PutMethods, printMethods)
	})
	command.Flags().IntVar(&images, "images", 32, "images of a step")
	return command
}

// compareMethods runs this program with each method in turn.
func compareMethods(ctx context.Context, a *app, flags variationFlags, net network.Network, images int) (measure.Comparison, error) {
	var programs []measure.Program
	for _, s := range methodSettings {
		program, err := ours(net, flags.steps, append([]string{"--images", strconv.Itoa(images)}, s.flags...)...)
		if err != nil {
			return measure.Comparison{}, err
		}
		program.Name = s.name
		programs = append(programs, program)
	}
	return measure.Compare(ctx, programs, flags.rounds, func(round int) {
		fmt.Fprintf(a.err, "methods  %s:%d, %d images   round %d of %d\n", net.Name, net.Width, images, round, flags.rounds)
	})
}

func printMethods(a *app, all []measure.Comparison) error {
	for _, c := range all {
		table := viz.Table{Header: []string{"method", "step", "steps of SGD", "quartiles", "memory"}}
		for _, e := range c.Entries {
			table.Rows = append(table.Rows, []string{
				e.Name, quantity.Seconds(e.Seconds.Median), fmt.Sprintf("%.2f", 1/e.Ratio.Median),
				fmt.Sprintf("%.2f to %.2f", 1/e.Ratio.ThirdQuartile, 1/e.Ratio.FirstQuartile), quantity.Bytes(e.PeakMemory),
			})
		}
		text, err := table.Text()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s:%d, %s a step\n%s\n", c.Network, c.Width, quantity.Count(c.Images, "image"), text)
	}
	return nil
}
