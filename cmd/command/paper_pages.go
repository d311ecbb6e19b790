package command

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/paper"
)

func galleryCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "gallery FOLDER",
		Short: "Write the pages of a folder of results: answers, pictures, effects and costs",
		Long: "Write FOLDER/README.md and a page of each result from what `nbbnn figure NUMBER --cards --out FOLDER/NAME` wrote, with a\n" +
			"remarks.md by hand if there is something to say. Nothing is computed; equal files give equal pages.",
		Example: "  nbbnn paper gallery docs/results",
		Args:    commandline.Arguments("FOLDER"),
		RunE: func(_ *cobra.Command, args []string) error {
			paths, err := paper.Gallery(args[0])
			for _, path := range paths {
				fmt.Fprintln(a.out, "wrote    "+path)
			}
			return err
		},
	}
}

func tableCommand(a *app) *cobra.Command {
	var name string
	var measure bool
	command := &cobra.Command{
		Use:   "table NUMBER",
		Short: "Print a table of the paper: 1, the layers of All-CNN-C, or 2, run times",
		Long: "Print a table of the paper. Table 1 has the layers of All-CNN-C, from the network itself. Table 2 has the time of a\n" +
			"training of each network and method: the mean of the trained runs of Figures 10, 11 and 13, or an estimate for this\n" +
			"machine, next to the paper's seconds.",
		Example: "  nbbnn paper table 1\n  nbbnn paper table 2 --scale paper",
		Args:    commandline.Arguments("NUMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return commandline.Usage(fmt.Errorf("nbbnn paper table: %q isn't the number of a table: give 1 or 2", args[0]))
			}
			scale, err := paper.ParseScale(name)
			if err != nil {
				return commandline.Usage(err)
			}
			table, err := paper.PaperTable(c.Context(), number, scale, paper.Options{Runs: a.runs, Measure: measure})
			if err != nil {
				return commandline.Usage(err)
			}
			if a.json {
				return a.printJSON(table)
			}
			text, err := table.Text()
			if err != nil {
				return err
			}
			fmt.Fprint(a.out, text)
			return nil
		},
	}
	command.Flags().StringVar(&name, "scale", string(paper.Desk), "scale of table 2: "+scaleNames())
	command.Flags().BoolVar(&measure, "measure", false, "measure again how fast this machine trains")
	return command
}
