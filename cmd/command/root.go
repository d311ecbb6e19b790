package command

import (
	"cmp"
	"os"
	"strings"

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
	root.PersistentFlags().StringVar(&a.runs, "runs", cmp.Or(os.Getenv("NBBNN_RUNS"), "runs"), "directory of the run directories; the variable NBBNN_RUNS changes the default")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON on standard output")
	root.AddCommand(
		doctorCommand(a),
		trainCommand(a),
		posthocCommand(a),
		runsCommand(a),
		evaluateCommand(a),
		compareCommand(a),
		reportCommand(a),
		weightsCommand(a),
		figureCommand(a),
		paperCommand(a),
		sweepCommand(a),
		dataCommand(a),
		corruptCommand(a),
		notebookCommand(a),
	)
	root.AddCommand(
		formerly("estimate", trainCommand(a), "plan"), formerly("cells", compareCommand(a), "tidy"),
		formerly("export", exportCommand(a)), formerly("import", importCommand(a)), formerly("watch", watchCommand(a)),
		formerly("gallery", galleryCommand(a)), formerly("table", tableCommand(a)), formerly("run", sweepPointCommand(a)),
	)
	showGroups(root)
	if err := completeCommands(a, root); err != nil {
		panic(err) // a flag that isn't there, or twice
	}
	return root
}

// formerly returns a command under a name that it had, out of sight, with flags that it now needs.
func formerly(name string, command *cobra.Command, flags ...string) *cobra.Command {
	_, arguments, _ := strings.Cut(command.Use, " ")
	command.Use, command.Hidden = strings.TrimSpace(name+" "+arguments), true
	for _, flag := range flags {
		_ = command.Flags().Set(flag, "true")
	}
	return command
}

// printJSON writes a value to standard output.
func (a *app) printJSON(value any) error { return files.WriteJSON(a.out, value) }
