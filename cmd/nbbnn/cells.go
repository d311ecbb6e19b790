package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

func cellsCommand(a *app) *cobra.Command {
	var out string
	var where, metrics []string
	command := &cobra.Command{
		Use:   "cells [RUN...]",
		Short: "Write all results of runs as one tidy table for pandas or R: one value a row",
		Long: "Write all results of runs, by default of all in --runs, as one CSV: a row for each run, evaluation, corruption, severity and\n" +
			"metric, with the run's name, the usual fields of its configuration, and all fields that differ. docs/tables.md shows how\n" +
			"pandas and R read it. Nothing is computed.",
		Example: "  nbbnn cells --out cells.csv\n  nbbnn cells --where 'gamma>0' --metric nll,error > cells.csv",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := listedRuns(a, args, where)
			if err != nil {
				return err
			}
			if metrics, err = metricColumns(list, metrics); err != nil {
				return err
			}
			if out == "" {
				_, written, err := writeCells(a, a.out, list, metrics)
				noteUnsealedCells(a, written)
				return err
			}
			var count int
			var written []listed
			err = files.Write(out, func(w io.Writer) error {
				count, written, err = writeCells(a, w, list, metrics)
				return err
			})
			if err == nil {
				fmt.Fprintf(a.out, "wrote    %s   %s of %s\n", out, quantity.Count(count, "value"), quantity.Count(len(written), "run"))
			}
			noteUnsealedCells(a, written)
			return err
		},
	}
	command.Flags().StringVar(&out, "out", "", `file of the table; "" means standard output`)
	command.Flags().StringArrayVar(&where, "where", nil, "only runs with a value, as in `nbbnn runs`, such as 'gamma>0'")
	command.Flags().StringSliceVar(&metrics, "metric", nil, "only these metrics, such as nll,error; none means all")
	return command
}

// noteUnsealedCells is noteUnsealed for the files that a table of cells comes from.
func noteUnsealedCells(a *app, list []listed) {
	runs := make([]*nbbnn.Run, len(list))
	for i, entry := range list {
		runs[i] = entry.run
	}
	noteUnsealed(a, runs, "card.json", "cells.csv", "metrics.csv")
}

// listedRuns returns the runs that arguments name, or all, that fulfil conditions.
func listedRuns(a *app, arguments, where []string) ([]listed, error) {
	conditions, err := parseConditions("cells", where)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	var paths []string
	if len(arguments) == 0 {
		if paths, err = inRuns(a.runs, "config.json"); err != nil {
			return nil, commandline.Usage(fmt.Errorf("nbbnn: --runs %s: %w", a.runs, err))
		}
	} else {
		runs, err := trainedRuns(a, "cells", arguments)
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			paths = append(paths, filepath.Join(run.Directory(), "config.json"))
		}
	}
	list := readList(a, paths)
	if len(list) == 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn cells: no runs in %s: --runs says where to look", a.runs))
	}
	if list, err = filterRuns(list, conditions); err != nil {
		return nil, commandline.Usage(err)
	}
	return list, nil
}
