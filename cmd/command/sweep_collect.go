package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/nbbnn/sweep"
	"github.com/nbbnn/workbench/viz"
)

// collectFlags are the flags of the command `sweep collect`.
type collectFlags struct {
	manifest, csv string
	metrics       []string
	cells         bool
}

func sweepCollectCommand(a *app) *cobra.Command {
	var flags collectFlags
	command := &cobra.Command{
		Use:   "collect",
		Short: "Print the mean over seeds of what the finished points measured, and write a tidy table",
		Long: "Print the mean over seeds of what the finished points measured, with 95 % t-intervals from three seeds on, at each level of\n" +
			"corruption. --out writes a tidy table for pandas or R: one value a row, after the run and its configuration.",
		Example: "  nbbnn sweep collect --manifest m.json\n  nbbnn sweep collect --manifest m.json --metrics nll,ece --out levels.csv\n" +
			"  nbbnn sweep collect --manifest m.json --cells --out cells.csv",
		Args: commandline.Arguments(),
		RunE: func(*cobra.Command, []string) error { return collect(a, flags) },
	}
	addManifestFlag(command, &flags.manifest)
	f := command.Flags()
	f.StringSliceVar(&flags.metrics, "metrics", []string{"nll", "error"}, "metrics of the table, separated by commas: nll, error, ece, mean_ece, gibbs_nll, brier, nll_t")
	f.StringVar(&flags.csv, "out", "", `file of the tidy table, "-" for standard output; none writes none`)
	f.BoolVar(&flags.cells, "cells", false, "in place of the means at each level, the table of \"nbbnn compare --tidy\"")
	return command
}

// collect prints the table over seeds and writes the tidy one.
func collect(a *app, flags collectFlags) error {
	_, status, err := readSweep(a, flags.manifest)
	if err != nil {
		return err
	}
	groups, err := status.Groups(flags.metrics)
	if err != nil {
		return err
	}
	write := status.WriteCSV
	if flags.cells {
		write = func(w io.Writer) error { return writeCells(a, status, w) }
	}
	if flags.csv == "-" {
		return write(a.out)
	}
	if flags.csv != "" {
		if err := os.MkdirAll(filepath.Dir(flags.csv), 0o755); err != nil {
			return fmt.Errorf("nbbnn sweep collect: %w", err)
		}
		if err := files.Write(flags.csv, write); err != nil {
			return fmt.Errorf("nbbnn sweep collect: %w", err)
		}
	}
	for _, point := range status.Points {
		noteGuesses(a, "run "+point.Run, point.Card)
	}
	if a.json {
		return a.printJSON(groups)
	}
	if err := printGroups(a, groups); err != nil {
		return err
	}
	done := status.Count(sweep.Done)
	fmt.Fprintf(a.out, "points   %d of %d are done", done, len(status.Points))
	if done < len(status.Points) {
		fmt.Fprintf(a.out, "; the others are left out")
	}
	fmt.Fprintln(a.out)
	if flags.csv != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s\n", flags.csv, quantity.Count(done, "run"))
	}
	return nil
}

// writeCells writes the table of `nbbnn compare --tidy` for the points that are done.
func writeCells(a *app, status sweep.Status, w io.Writer) error {
	var directories []string
	for _, point := range status.Points {
		if point.State == sweep.Done {
			directories = append(directories, filepath.Join(a.runs, point.Run))
		}
	}
	_, err := tidyOf(readList(a, directories)).write(a, w)
	return err
}

// printGroups prints a line for each group and metric.
func printGroups(a *app, groups []sweep.Group) error {
	table := viz.Table{Header: []string{"points", "metric", "n"}, Labels: 3}
	for level := range score.LevelCount {
		table.Header = append(table.Header, fmt.Sprintf("level %d", level))
	}
	intervals := false
	for _, group := range groups {
		for _, metric := range group.Metrics {
			row := []string{group.Name, metric.Metric, fmt.Sprint(metric.Levels[0].N)}
			for _, level := range metric.Levels {
				row = append(row, level.Text(3))
				intervals = intervals || level.Half != nil
			}
			table.Rows = append(table.Rows, row)
		}
	}
	if err := a.printTable(table); err != nil {
		return err
	}
	if intervals {
		fmt.Fprintln(a.out, "interval ± is half of the 95 % t-interval of the mean over n seeds")
	}
	return nil
}

// metricNames lists the values of --metrics.
func metricNames() []string { return slices.Clone(sweep.LevelMetrics()) }
