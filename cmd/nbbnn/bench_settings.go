package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/bench"
	"github.com/nbbnn/workbench/nbbnn"
)

// benchSettingsCommand compares one core with all and four components with one.
func (a *app) benchSettingsCommand() *cobra.Command {
	var flags variationFlags
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
func (a *app) compareSetting(ctx context.Context, flags variationFlags, network nbbnn.Network, name string, other []string) (bench.Comparison, error) {
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
