package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
)

func (a *app) dataCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "data",
		Short:   "Say where data sets are looked for, which are there, and whether they are sound",
		Example: "  nbbnn data list\n  nbbnn data verify cifar10",
		Args:    noCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(
		&cobra.Command{
			Use: "where", Short: "Print the directory of downloaded data sets", Example: "  nbbnn data where",
			Args: exactly(), RunE: func(*cobra.Command, []string) error { return a.dataWhere() },
		},
		&cobra.Command{
			Use: "list", Short: "List the data sets, and whether they can be opened", Example: "  nbbnn data list --json",
			Args: exactly(), RunE: func(c *cobra.Command, _ []string) error { return a.dataList(c.Context()) },
		},
		&cobra.Command{
			Use: "verify NAME", Short: "Read a data set whole, check it, and print its size and hash", Example: "  nbbnn data verify shapes10",
			Args: exactly("NAME"), RunE: func(c *cobra.Command, args []string) error { return a.dataVerify(c.Context(), args[0]) },
		},
	)
	return command
}

func (a *app) dataWhere() error {
	directory, err := dataset.Directory("")
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"directory": directory})
	}
	fmt.Fprintln(a.out, directory)
	return nil
}

// dataEntry is a line of `data list`.
type dataEntry struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Problem   string `json:"problem,omitempty"`
}

// dataList opens one image of each data set, which is enough to see whether it's there.
func (a *app) dataList(ctx context.Context) error {
	var entries []dataEntry
	for _, name := range dataset.Names() {
		entry := dataEntry{Name: name, Available: true}
		if _, err := dataset.Open(ctx, dataset.Config{Name: name, TrainCount: 1, TestCount: 1}); err != nil {
			entry.Available, entry.Problem = false, err.Error()
		}
		entries = append(entries, entry)
	}
	if a.json {
		return a.printJSON(entries)
	}
	for _, entry := range entries {
		status := a.paintOut(green, "ready")
		if !entry.Available {
			status = a.paintOut(yellow, "missing") + "   " + entry.Problem
		}
		fmt.Fprintf(a.out, "%-10s %s\n", entry.Name, status)
	}
	return nil
}

// dataSummary is what `data verify` prints.
type dataSummary struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Classes []string `json:"classes"`
	Train   int      `json:"train"`
	Test    int      `json:"test"`
	Hash    string   `json:"hash"`
}

func (a *app) dataVerify(ctx context.Context, name string) error {
	data, err := dataset.Open(ctx, dataset.Config{Name: name})
	if err != nil {
		return err
	}
	summary := dataSummary{data.Name, data.Source, data.Classes, data.Train.Count(), data.Test.Count(), data.Hash}
	if a.json {
		return a.printJSON(summary)
	}
	fmt.Fprintf(a.out, "%s   %s training and %s test images of %dx%d in %d classes\n", summary.Name,
		thousands(float64(summary.Train)), thousands(float64(summary.Test)), data.Train.Height, data.Train.Width, len(summary.Classes))
	fmt.Fprintf(a.out, "source     %s\nsha256     %s\n", summary.Source, summary.Hash)
	return nil
}
