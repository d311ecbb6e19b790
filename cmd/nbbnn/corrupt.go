package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/corrupt"
)

func (a *app) corruptCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "corrupt",
		Short:   "List the corruptions",
		Example: "  nbbnn corrupt list",
		Args:    noCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(&cobra.Command{
		Use: "list", Short: "List the corruptions by their names in files and flags", Example: "  nbbnn corrupt list --json",
		Args: exactly(), RunE: func(*cobra.Command, []string) error { return a.corruptList() },
	})
	return command
}

func (a *app) corruptList() error {
	if a.json {
		return a.printJSON(corrupt.Names())
	}
	for _, name := range corrupt.Names() {
		fmt.Fprintln(a.out, name)
	}
	return nil
}
