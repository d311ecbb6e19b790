package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

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
			table := &cellsTable{list: list, columns: nbbnn.Columns(nbbnn.Differing(configsOf(list)...)), metrics: metrics}
			return table.save(a, out)
		},
	}
	command.Flags().StringVar(&out, "out", "", `file of the table; "" means standard output`)
	command.Flags().StringArrayVar(&where, "where", nil, "only runs with a value, as in \"nbbnn runs\", such as 'gamma>0'")
	command.Flags().StringSliceVar(&metrics, "metric", nil, "metrics to write, such as nll,error; none means all")
	return command
}

// save writes the table to a file, or to standard output for "".
func (t *cellsTable) save(a *app, path string) (err error) {
	var done written
	if path == "" {
		done, err = t.write(a, a.out)
	} else {
		err = files.Write(path, func(w io.Writer) error {
			done, err = t.write(a, w)
			return err
		})
	}
	if err != nil {
		return err
	}
	if path != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s of %s\n", path, quantity.Count(done.values, "value"), quantity.Count(done.runs, "run"))
	}
	if done.values == 0 {
		fmt.Fprintf(a.err, "note     the table has a header alone: of %s none is tested: `nbbnn evaluate` does it\n", quantity.Count(done.runs, "run"))
	}
	noteWithoutChecksums(a, "run", done.unsealed)
	return nil
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
	if len(paths) == 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn cells: no runs in %s: --runs says where to look", a.runs))
	}
	list := readList(a, paths)
	if len(list) == 0 {
		return nil, errNoneLeft("cells")
	}
	if list, err = filterRuns(list, conditions); err != nil {
		return nil, commandline.Usage(err)
	}
	if len(list) == 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn cells: no run fulfils --where %s: `nbbnn runs` shows their values", strings.Join(where, " and ")))
	}
	return list, nil
}
