package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/report"
)

func runsRestoreCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "restore RECORD...",
		Short: "Make runs of the records that `nbbnn compare --cards` and figures keep: results without weights",
		Long: "Make runs, and ensembles, of the records that `nbbnn compare --cards` and figures keep: of the .json file of one, with the\n" +
			"files beside it that have the same beginning, or of all in a folder. A restored run has its results and no weights, so that\n" +
			"`nbbnn compare` shows runs of several machines in one table; `nbbnn train` trains it again, which replaces the results. Runs\n" +
			"that are there stay as they are.",
		Example: "  nbbnn runs restore docs/results/benchmark/cards\n  nbbnn runs restore docs/results/benchmark/cards/map-seed1.json --runs others",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return commandline.Usage(errors.New("nbbnn runs restore: no record is given: name the folder `cards` of a comparison, or one .json file of it"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return restoreRecords(a, args) },
	}
}

// restoreRecords restores what paths mean, and goes on after runs that are there.
func restoreRecords(a *app, paths []string) error {
	bases, err := report.FindRecords(paths...)
	if err != nil {
		return commandline.Usage(err)
	}
	for _, base := range bases {
		record, err := report.ReadRecord(base)
		if err != nil {
			return err
		}
		directory, err := nbbnn.Restore(a.runs, record)
		switch {
		case errors.Is(err, nbbnn.ErrThere):
			fmt.Fprintf(a.out, "kept     %s   as it is: %s.json is a record of it\n", directory, base)
		case err != nil:
			return fmt.Errorf("%w (the record %s.json)", err, base)
		default:
			fmt.Fprintf(a.out, "restored %s   %s.json\n", directory, base)
		}
	}
	return nil
}
