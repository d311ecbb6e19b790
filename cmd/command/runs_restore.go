package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz/report"
)

func runsRestoreCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "restore RECORD...",
		Short: "Make runs of the records that `nbbnn compare --cards` and figures keep: results without weights",
		Long: "Make runs, and ensembles, of the records that `nbbnn compare --cards` and figures keep: of the .json file of one, with the\n" +
			"files beside it that have the same beginning, or of all in a folder. A restored run has its results and no weights, so that\n" +
			"`nbbnn compare` and `nbbnn figure --no-train` show runs of several machines together; `nbbnn train --replace-recorded` trains\n" +
			"it again. Runs that are there stay as they are. A record that is damaged or incomplete doesn't stop the others.",
		Example: "  nbbnn runs restore docs/results/earlier/benchmark/cards\n  nbbnn runs restore docs/results/earlier/benchmark/cards/map-seed1.json --runs others",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return commandline.Usage(errors.New("nbbnn runs restore: no record is given: name the folder `cards` of a comparison, or one .json file of it"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return restoreRecords(a, args) },
	}
}

// restoreRecords restores what paths mean. A run that is there, or a record of several that can't be
// restored, doesn't stop the others.
func restoreRecords(a *app, paths []string) error {
	bases, err := report.FindRecords(paths...)
	if err != nil {
		return commandline.Usage(err)
	}
	failed := 0
	for _, base := range bases {
		err := restoreRecord(a, base)
		if err != nil && len(bases) == 1 {
			return err
		}
		if err != nil {
			fmt.Fprintf(a.err, "note     %s.json isn't restored: %s\n", base, strings.TrimPrefix(describe(err), "nbbnn: "))
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("nbbnn runs restore: %d of %d records aren't restored: the notes above say why", failed, len(bases))
	}
	return nil
}

// restoreRecord restores one record, unless its run is there.
func restoreRecord(a *app, base string) error {
	record, err := report.ReadRecord(base)
	if err != nil {
		return err
	}
	directory, err := nbbnn.Restore(a.runs, record)
	switch {
	case errors.Is(err, nbbnn.ErrThere):
		fmt.Fprintf(a.out, "kept     %s   as it is: %s.json is a record of it\n", directory, base)
	case err != nil:
		return err
	default:
		fmt.Fprintf(a.out, "restored %s   %s.json\n", directory, base)
	}
	return nil
}
