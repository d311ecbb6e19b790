package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/paper"
)

func (a *app) reportCommand() *cobra.Command {
	var out string
	command := &cobra.Command{
		Use:   "report RUN",
		Short: "Draw a run's training, and write its terms as a table and its card",
		Long: "Draw a trained run's entropy, its divergence from the prior and its training loss against the epoch, and write every\n" +
			"term of the objective at every epoch as CSV, with the run's card beside them. Nothing is computed anew.",
		Example: "  nbbnn report 9f3c\n  nbbnn report 9f3c --out results/resnet18",
		Args:    exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", filepath.Base(run.Directory()))
			}
			files, err := paper.SaveTraining(run, out)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(files)
			}
			fmt.Fprintln(a.out, "wrote    "+strings.Join(files, "  "))
			return nil
		},
	}
	command.Flags().StringVar(&out, "out", "", `directory of the files; "" means out/ and the run's name`)
	return command
}
