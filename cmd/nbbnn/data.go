package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
)

func (a *app) dataCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "data",
		Short:   "Get data sets, and say where they are looked for and whether they are sound",
		Example: "  nbbnn data list\n  nbbnn data get cifar10\n  nbbnn data verify cifar10",
		Args:    commandline.Subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(
		a.dataGetCommand(),
		&cobra.Command{
			Use: "where [NAME]", Short: "Print the directory of downloaded data sets, or the folder of one of them",
			Example: "  nbbnn data where\n  nbbnn data where cifar10-c",
			Args:    cobra.MaximumNArgs(1), RunE: func(_ *cobra.Command, args []string) error { return a.dataWhere(args) },
		},
		&cobra.Command{
			Use: "list", Short: "List the data sets, what they are and whether they are there", Example: "  nbbnn data list --json",
			Args: commandline.Arguments(), RunE: func(*cobra.Command, []string) error { return a.dataList() },
		},
		&cobra.Command{
			Use: "verify NAME", Short: "Read a data set whole, check it, and print its size and hash", Example: "  nbbnn data verify shapes10",
			Args: commandline.Arguments("NAME"), RunE: func(c *cobra.Command, args []string) error { return a.dataVerify(c.Context(), args[0]) },
		},
	)
	return command
}

// dataWhere prints the directory of all data sets, or the folder in which one is looked for.
func (a *app) dataWhere(names []string) error {
	directory, err := dataset.Directory("")
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := dataset.SourceByName(name)
		if err != nil {
			return commandline.Usage(err)
		}
		directory, _ = source.Find(directory)
	}
	if directory, err = filepath.Abs(directory); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"directory": directory})
	}
	fmt.Fprintln(a.out, directory)
	return nil
}
