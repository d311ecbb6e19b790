package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// estimateFlags are the flags of the comparison of estimates with measurements.
type estimateFlags struct {
	networks              []string
	images, steps, rounds int
	program, out          string
}

func benchEstimateCommand(a *app) *cobra.Command {
	var flags estimateFlags
	command := &cobra.Command{
		Use: "estimate", Short: "Compare what nbbnn train --plan says with what is measured", Example: "  bench estimate --networks resnet18:16 --images 128",
		Args: commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			flags.program = a.program
			return benchEstimates(c.Context(), a, flags)
		},
	}
	f := command.Flags()
	f.StringSliceVar(&flags.networks, "networks", []string{"allcnnc:24", "allcnnc:96", "vgg16:16", "resnet18:16", "preactresnet18:16"}, "networks with their widths")
	f.IntVar(&flags.images, "images", 128, "images of a step")
	f.IntVar(&flags.steps, "steps", 3, "steps that are measured")
	f.IntVar(&flags.rounds, "rounds", 3, "processes of each")
	f.StringVar(&flags.out, "out", "", "JSON file of this machine's measurements, which is brought up to date")
	return command
}

func benchEstimates(ctx context.Context, a *app, flags estimateFlags) error {
	networks, err := parseNetworks(flags.networks)
	if err != nil {
		return err
	}
	compare := func(net network.Network) (measure.Estimate, error) { return flags.compare(ctx, net) }
	return measureEach(a, networks, compare, flags.out, (*measure.Record).PutEstimate, printEstimates)
}

// compare estimates and measures in turn, each time in a process of its own, and takes the medians.
// The training set is the batch, which the measurement has, too.
func (f estimateFlags) compare(ctx context.Context, net network.Network) (measure.Estimate, error) {
	images := strconv.Itoa(f.images)
	program, err := ours(net, f.steps, "--images", images)
	if err != nil {
		return measure.Estimate{}, err
	}
	data := dataset.CIFAR10
	if net.Name == "preactresnet18" { // measured with its published images of 64 pixels
		data = dataset.TinyImageNet
	}
	var values [4][]float64 // seconds and bytes, estimated and measured
	var last measure.Result
	for range max(1, f.rounds) {
		cost, err := estimated(ctx, f.program, "--network", net.Name, "--width", strconv.Itoa(net.Width),
			"--data", data, "--samples", "4", "--batch", images, "--train", images, "--test", images)
		if err != nil {
			return measure.Estimate{}, err
		}
		if last, err = program.Run(ctx); err != nil {
			return measure.Estimate{}, err
		}
		for i, value := range []float64{cost.StepSeconds, last.MedianSeconds, cost.Memory, float64(last.PeakMemory)} {
			values[i] = append(values[i], value)
		}
	}
	median := func(i int) float64 { return measure.NewSpread(values[i]).Median }
	return measure.Estimate{Workload: last.Workload, Seconds: median(0), MeasuredSeconds: median(1), Memory: median(2), MeasuredMemory: median(3)}, nil
}

// estimated returns the answer of `nbbnn train --plan`.
func estimated(ctx context.Context, program string, flags ...string) (cost trial.Cost, err error) {
	command := exec.CommandContext(ctx, program, append([]string{"train", "--plan", "--json"}, flags...)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return cost, fmt.Errorf("bench: %s estimate failed: %w: `make build` builds it", program, err)
	}
	if err := json.Unmarshal(output, &cost); err != nil {
		return cost, fmt.Errorf("bench: the estimate printed no JSON: %w", err)
	}
	return cost, nil
}

func printEstimates(a *app, all []measure.Estimate) error {
	table := viz.Table{Header: []string{"", "rows", "step estimated", "measured", "off by", "memory estimated", "measured", "off by"}}
	for _, e := range all {
		table.Rows = append(table.Rows, []string{
			fmt.Sprintf("%s:%d", e.Network, e.Width), fmt.Sprintf("%d x %d", e.Images, e.Samples),
			quantity.Seconds(e.Seconds), quantity.Seconds(e.MeasuredSeconds), offBy(e.Seconds, e.MeasuredSeconds),
			quantity.Bytes(int64(e.Memory)), quantity.Bytes(int64(e.MeasuredMemory)), offBy(e.Memory, e.MeasuredMemory),
		})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	return nil
}

// offBy is such as "+7 %".
func offBy(estimate, measured float64) string {
	return fmt.Sprintf("%+.0f %%", 100*(estimate/measured-1))
}
