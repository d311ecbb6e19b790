package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/indented"
	"github.com/nbbnn/workbench/internal/nearest"
)

// app is what every command has: the streams and the flags that all commands share.
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
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(streams.out)
	root.SetErr(streams.err)
	root.SetVersionTemplate("nbbnn {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringVar(&a.runs, "runs", "runs", "directory of the run directories")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON on standard output")
	root.AddCommand(
		a.doctorCommand(),
		a.trainCommand(),
		a.runsCommand(),
		a.estimateCommand(),
		a.evaluateCommand(),
		a.compareCommand(),
		a.watchCommand(),
		a.reportCommand(),
		a.exportCommand(),
		a.importCommand(),
		a.figureCommand(),
		a.dataCommand(),
		a.corruptCommand(),
		a.benchCommand(),
		a.notebookCommand(),
		a.agreeCommand(),
	)
	return root
}

// noCommand refuses an unknown command and offers the nearest known one.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, command := range c.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
		}
	}
	return asUsage(fmt.Errorf("%s: unknown command %q%s: the commands are %s",
		c.CommandPath(), args[0], nearest.Hint(args[0], names), strings.Join(names, ", ")))
}

// exactly refuses any other number of arguments than the given ones, which are named as in "figure NUMBER".
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want := "no argument"
		if len(names) > 0 {
			want = strings.Join(names, " ")
		}
		return asUsage(fmt.Errorf("%s: %s given, it takes %s: `%s --help` shows an example", c.CommandPath(), counting(len(args), "argument"), want, c.CommandPath()))
	}
}

// printJSON writes a value to standard output.
func (a *app) printJSON(value any) error { return indented.Write(a.out, value) }

// version is that of the module, or the commit of a build from source.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return info.Main.Version
}
