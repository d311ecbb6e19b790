package main

import (
	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
)

// app holds the streams and the flags that all commands share.
type app struct {
	streams
	runs string // --runs
	json bool   // --json
}

func newRoot(streams streams) *cobra.Command {
	a := &app{streams: streams}
	root := &cobra.Command{
		Use:           "nbbnn",
		Short:         "Node-based Bayesian neural networks: train, evaluate under corruption, make the paper's figures",
		Example:       "  nbbnn doctor\n  nbbnn figure 3 --scale smoke",
		Version:       commandline.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          commandline.Subcommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(streams.out)
	root.SetErr(streams.err)
	root.SetVersionTemplate("nbbnn {{.Version}}\n")
	root.SetFlagErrorFunc(commandline.FlagError)
	root.PersistentFlags().StringVar(&a.runs, "runs", "runs", "directory of the run directories")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON on standard output")
	root.AddCommand(
		doctorCommand(a),
		trainCommand(a),
		posthocCommand(a),
		runsCommand(a),
		estimateCommand(a),
		evaluateCommand(a),
		compareCommand(a),
		cellsCommand(a),
		watchCommand(a),
		reportCommand(a),
		exportCommand(a),
		importCommand(a),
		figureCommand(a),
		galleryCommand(a),
		paperCommand(a),
		sweepCommand(a),
		runCommand(a),
		tableCommand(a),
		dataCommand(a),
		corruptCommand(a),
		notebookCommand(a),
	)
	showGroups(root)
	if err := completeCommands(a, root); err != nil {
		panic(err) // a flag that isn't there, or twice
	}
	return root
}

// printJSON writes a value to standard output.
func (a *app) printJSON(value any) error { return files.WriteJSON(a.out, value) }
