package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
)

// variationFlags are the flags of the measurements that vary one thing.
type variationFlags struct {
	network string
	rounds  int
	steps   int
	out     string
}

// command is a command with these flags.
func (f *variationFlags) command(use, short string, do func(context.Context, nbbnn.Network) error) *cobra.Command {
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

// ours is this program, timing training steps.
func ours(network nbbnn.Network, steps int, more ...string) (bench.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return bench.Program{}, fmt.Errorf("nbbnn bench: this program can't find its own file: %w: start it by its path", err)
	}
	command := []string{self, "bench", "train", "--json", "--network", network.Name, "--width", strconv.Itoa(network.Width), "--steps", strconv.Itoa(steps)}
	return bench.Program{Name: "nbbnn", Command: append(command, more...)}, nil
}

// measureEach measures one thing after the other, keeps each result in the file of measurements, if there is to be one, and prints
// them all: as JSON, or as print does.
func measureEach[Thing, Result any](a *app, things []Thing, measure func(Thing) (Result, error),
	path string, put func(*bench.Record, Result), print func([]Result) error) error {
	var all []Result
	for _, thing := range things {
		result, err := measure(thing)
		if err != nil {
			return err
		}
		if err := record(path, func(r *bench.Record) { put(r, result) }); err != nil {
			return err
		}
		all = append(all, result)
	}
	if a.json {
		return a.printJSON(all)
	}
	return print(all)
}

// record changes the file of measurements, if there is to be one.
func record(path string, change func(*bench.Record)) error {
	if path == "" {
		return nil
	}
	return bench.Update(path, change)
}
