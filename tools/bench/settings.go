package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
)

// setting is a way to start this program that is compared with the usual one.
type setting struct {
	name  string
	flags []string
}

// benchSettingsCommand compares one core with all and four components with one.
func (a *app) benchSettingsCommand() *cobra.Command {
	var flags variationFlags
	return flags.command("settings", "Compare one core with all cores, and four components with one", func(ctx context.Context, network nbbnn.Network) error {
		settings := []setting{{"1 core", []string{"--threads", "1"}}, {"4 components", []string{"--components", "4"}}}
		compare := func(s setting) (bench.Comparison, error) { return a.compareSetting(ctx, flags, network, s) }
		return measureEach(a, settings, compare, flags.out, (*bench.Record).PutSetting, a.printComparisons)
	})
}

// compareSetting runs the program as it is and with other flags in turn.
func (a *app) compareSetting(ctx context.Context, flags variationFlags, network nbbnn.Network, other setting) (bench.Comparison, error) {
	usual, err := ours(network, flags.steps)
	if err != nil {
		return bench.Comparison{}, err
	}
	usual.Name = "as it is"
	changed, err := ours(network, flags.steps, other.flags...)
	if err != nil {
		return bench.Comparison{}, err
	}
	changed.Name = other.name
	return bench.Compare(ctx, []bench.Program{usual, changed}, flags.rounds, func(round int) {
		fmt.Fprintf(a.err, "settings %-14s round %d of %d\n", other.name, round, flags.rounds)
	})
}
