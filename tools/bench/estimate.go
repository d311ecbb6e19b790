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
	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// estimateFlags are the flags of the comparison of estimates with measurements.
type estimateFlags struct {
	networks              []string
	images, steps, rounds int
	out                   string
}

func (a *app) benchEstimateCommand() *cobra.Command {
	var flags estimateFlags
	command := &cobra.Command{
		Use: "estimate", Short: "Compare what nbbnn estimate says with what is measured", Example: "  nbbnn bench estimate --networks resnet18:16 --images 128",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return a.benchEstimates(c.Context(), flags) },
	}
	f := command.Flags()
	f.StringSliceVar(&flags.networks, "networks", []string{"allcnnc:24", "allcnnc:96", "vgg16:16", "resnet18:16", "preactresnet18:16"}, "networks with their widths")
	f.IntVar(&flags.images, "images", 128, "images of a step")
	f.IntVar(&flags.steps, "steps", 3, "steps that are measured")
	f.IntVar(&flags.rounds, "rounds", 3, "processes of each")
	f.StringVar(&flags.out, "out", "", "JSON file of this machine's measurements, which is brought up to date")
	return command
}

func (a *app) benchEstimates(ctx context.Context, flags estimateFlags) error {
	networks, err := parseNetworks(flags.networks)
	if err != nil {
		return err
	}
	compare := func(network nbbnn.Network) (bench.Estimate, error) { return flags.compare(ctx, network) }
	return measureEach(a, networks, compare, flags.out, (*bench.Record).PutEstimate, a.printEstimates)
}

// compare estimates and measures in turn, each time in a process of its own, and takes the medians. The training set is the
// batch, which the measurement has, too.
func (f estimateFlags) compare(ctx context.Context, network nbbnn.Network) (bench.Estimate, error) {
	images := strconv.Itoa(f.images)
	program, err := ours(network, f.steps, "--images", images)
	if err != nil {
		return bench.Estimate{}, err
	}
	data := dataset.CIFAR10
	if network.Name == "preactresnet18" { // measured with its published images of 64 pixels
		data = dataset.TinyImageNet
	}
	var values [4][]float64 // seconds and bytes, estimated and measured
	var last bench.Result
	for range max(1, f.rounds) {
		cost, err := estimated(ctx, program.Command[0], "--network", network.Name, "--width", strconv.Itoa(network.Width),
			"--data", data, "--samples", "4", "--batch", images, "--train", images, "--test", images)
		if err != nil {
			return bench.Estimate{}, err
		}
		if last, err = program.Run(ctx); err != nil {
			return bench.Estimate{}, err
		}
		for i, value := range []float64{cost.StepSeconds, last.MedianSeconds, cost.Memory, float64(last.PeakMemory)} {
			values[i] = append(values[i], value)
		}
	}
	median := func(i int) float64 { return bench.NewSpread(values[i]).Median }
	return bench.Estimate{Workload: last.Workload, Seconds: median(0), MeasuredSeconds: median(1), Memory: median(2), MeasuredMemory: median(3)}, nil
}

// estimated is what `nbbnn estimate` says.
func estimated(ctx context.Context, program string, flags ...string) (cost nbbnn.Cost, err error) {
	command := exec.CommandContext(ctx, program, append([]string{"estimate", "--json"}, flags...)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return cost, fmt.Errorf("nbbnn bench: the estimate failed: %w", err)
	}
	if err := json.Unmarshal(output, &cost); err != nil {
		return cost, fmt.Errorf("nbbnn bench: the estimate printed no JSON: %w", err)
	}
	return cost, nil
}

func (a *app) printEstimates(all []bench.Estimate) error {
	table := viz.Table{Header: []string{"", "rows", "step estimated", "measured", "off by", "memory estimated", "measured", "off by"}}
	for _, e := range all {
		table.Rows = append(table.Rows, []string{
			fmt.Sprintf("%s:%d", e.Network, e.Width), fmt.Sprintf("%d x %d", e.Images, e.Samples),
			bench.Duration(e.Seconds), bench.Duration(e.MeasuredSeconds), offBy(e.Seconds, e.MeasuredSeconds),
			bench.Bytes(int64(e.Memory)), bench.Bytes(int64(e.MeasuredMemory)), offBy(e.Memory, e.MeasuredMemory),
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
