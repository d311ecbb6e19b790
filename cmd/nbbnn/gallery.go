package main

import (
	"fmt"

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
