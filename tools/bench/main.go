// Command bench times a training step or a prediction, and compares both with PyTorch in turn:
//
//	go run ./tools/bench train --network allcnnc --width 96
//	go run ./tools/bench peers --python .cache/peers/bin/python
//
// `make bench` runs Go's benchmarks instead.
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/viz"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{out: stdout, err: stderr}
	command := &cobra.Command{
		Use:   "bench",
		Short: "Time steps, and compare with PyTorch",
	}
	command.PersistentFlags().BoolVar(&a.json, "json", false,
		"print the result as JSON on standard output")
	command.CompletionOptions.DisableDefaultCmd = true
	command.AddCommand(
		stepCommand(a, "train", "Time a training step on random images", timeTraining),
		stepCommand(a, "evaluate", "Time the prediction of random images", timePrediction),
		peersCommand(a),
	)
	return commandline.Run(ctx, command, args, stdout, stderr)
}

// app holds the streams and the flags that all commands share.
type app struct {
	out, err io.Writer
	json     bool
}

// print writes a result as JSON, or as a table.
func (a *app) print(result any, table func() viz.Table) error {
	if a.json {
		return files.WriteJSON(a.out, result)
	}
	text, err := table().As("txt")
	if err == nil {
		_, err = io.WriteString(a.out, text+"\n")
	}
	return err
}
