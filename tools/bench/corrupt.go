package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/tools/bench/measure"
	"github.com/nbbnn/workbench/viz"
)

// corrupting measures every corruption and prints a table.
func corrupting(ctx context.Context, a *app, flags benchFlags) (any, error) {
	result, err := benchCorrupt(ctx, flags)
	if err != nil || a.json {
		return result, err
	}
	return result, printCorruption(a, result)
}

// benchCorrupt measures every corruption at the middle severity on random images, with the
// parameters for their size.
func benchCorrupt(ctx context.Context, flags benchFlags) (measure.Corruption, error) {
	const severity = 3
	side := flags.workload.WithDefaults().Side
	size := corrupt.Size{Height: side, Width: side}
	pixels := randomPixels(max(1, flags.workload.Settings.Training.Batch) * size.Values())
	result := measure.Corruption{Side: side, Severity: severity, Machine: machine.Describe(), Commit: commandline.Version()}
	for _, name := range corrupt.Names() {
		config := corrupt.Config{Corruption: name, Severity: severity, Table: tableFor(side)}
		seconds, err := measure.Repeat(ctx, 1, 3, func() error {
			_, err := corrupt.Apply(ctx, config, size, pixels)
			return err
		})
		if err != nil {
			return result, err
		}
		rate := float64(len(pixels)/size.Values()) / measure.NewSpread(seconds).Median
		result.Rates = append(result.Rates, measure.CorruptionRate{Name: config.Label(), ImagesPerSecond: rate})
	}
	return result, record(flags.out, func(r *measure.Record) { r.Corruption = &result })
}

func randomPixels(count int) []uint8 {
	random := rand.New(rand.NewPCG(1, 2))
	pixels := make([]uint8, count)
	for i := range pixels {
		pixels[i] = uint8(random.Uint32())
	}
	return pixels
}

// tableFor is the table of parameters of the reference's data set with images nearest to a size.
func tableFor(side int) corrupt.Table {
	switch {
	case side <= 32:
		return corrupt.CIFAR
	case side <= 64:
		return corrupt.Tiny
	default:
		return corrupt.ImageNet
	}
}

func printCorruption(a *app, result measure.Corruption) error {
	table := viz.Table{Header: []string{"corruption", "images/s"}}
	for _, rate := range result.Rates {
		table.Rows = append(table.Rows, []string{rate.Name, quantity.Thousands(rate.ImagesPerSecond)})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	fmt.Fprintf(a.out, "all %d one after the other   %s images/s of %d pixels\n", len(result.Rates), quantity.Thousands(result.Together()), result.Side)
	return nil
}
