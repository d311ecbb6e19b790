package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
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
				_, err := writeCells(a, a.out, list, metrics)
				return err
			}
			count := 0
			err = files.Write(out, func(w io.Writer) error {
				count, err = writeCells(a, w, list, metrics)
				return err
			})
			if err == nil {
				fmt.Fprintf(a.out, "wrote    %s   %s of %s\n", out, quantity.Count(count, "value"), quantity.Count(len(list), "run"))
			}
			return err
		},
	}
	command.Flags().StringVar(&out, "out", "", `file of the table; "" means standard output`)
	command.Flags().StringArrayVar(&where, "where", nil, "only runs with a value, as in `nbbnn runs`, such as 'gamma>0'")
	command.Flags().StringSliceVar(&metrics, "metric", nil, "only these metrics, such as nll,error; none means all")
	return command
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

// usualFields are the fields of a configuration that every table of cells has.
var usualFields = []string{
	"network.name", "network.width", "data.name", "posterior.components", "objective.gamma", "method.name", "training.epochs", "seed",
}

// writeCells writes the table and returns its number of values.
func writeCells(a *app, w io.Writer, list []listed, metrics []string) (count int, err error) {
	buffer := bufio.NewWriter(w)
	table := csv.NewWriter(buffer)
	columns := cellFields(list)
	header := slices.Concat([]string{"run", "name"}, columns,
		[]string{"suite", "samples", "subset", "evaluation_seed", "corruption", "severity", "images", "metric", "value"})
	if err := table.Write(header); err != nil {
		return 0, err
	}
	for _, entry := range list {
		values := entry.fields()
		start := []string{entry.Run, entry.Name}
		for _, column := range columns {
			start = append(start, values[column])
		}
		err := entry.run.EachValue(func(evaluation []string, images, metric, value string) error {
			if len(metrics) > 0 && !slices.Contains(metrics, metric) {
				return nil
			}
			count++
			return table.Write(slices.Concat(start, evaluation, []string{images, metric, value}))
		})
		if err != nil {
			return count, fmt.Errorf("nbbnn cells: %w", err)
		}
	}
	table.Flush()
	return count, errors.Join(table.Error(), buffer.Flush())
}

// metricColumns returns the columns of the metrics that a user has named, as the files of the runs or
// `nbbnn compare --metrics` do. It refuses a metric that no file has; without any files, an unknown
// one.
func metricColumns(list []listed, names []string) (columns []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var known []string
	for _, entry := range list {
		err := entry.run.EachValue(func(_ []string, _, metric, _ string) error {
			if !slices.Contains(known, metric) {
				known = append(known, metric)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("nbbnn cells: %w", err)
		}
	}
	for _, name := range names {
		column := name
		metric, unknown := score.MetricByName(name)
		if unknown == nil && !slices.Contains(known, name) {
			column = cmp.Or(metric.Column, metric.Name)
		}
		switch {
		case len(known) == 0 && unknown != nil:
			return nil, commandline.Usage(fmt.Errorf("nbbnn cells: %w", unknown))
		case len(known) > 0 && !slices.Contains(known, column):
			return nil, commandline.Usage(fmt.Errorf("nbbnn cells: no run has a metric %q%s: choose from %s",
				name, nearest.Hint(column, known), strings.Join(known, ", ")))
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// cellFields lists the usual fields of configurations and those in which runs differ.
func cellFields(list []listed) []string {
	fields := slices.Clone(usualFields)
	if len(list) == 0 {
		return fields
	}
	first := map[string]string{}
	addFields(first, "", reflect.ValueOf(list[0].Config))
	differing := map[string]bool{}
	for _, entry := range list[1:] {
		own := map[string]string{}
		addFields(own, "", reflect.ValueOf(entry.Config))
		for name, value := range own {
			if first[name] != value && !slices.Contains(usualFields, name) {
				differing[name] = true
			}
		}
	}
	var others []string
	for name := range differing {
		others = append(others, name)
	}
	slices.Sort(others)
	return append(fields, others...)
}
