package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
)

// runnerPath and pythonPath are where a clone of the workbench keeps what runs notebooks, below its root.
const (
	runnerPath = "tools/notebook/run.py"
	pythonPath = ".cache/venv/bin/python"
)

func notebookCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:     "notebook",
		Short:   "Run the workbench's notebooks without a browser",
		Example: "  nbbnn notebook run notebooks/figure-03.ipynb",
		Args:    commandline.Subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(notebookRunCommand(a))
	return command
}

func notebookRunCommand(a *app) *cobra.Command {
	var output, directory string
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "run NOTEBOOK.ipynb",
		Short: "Run a notebook without a browser and save its outputs, also when a cell fails",
		Long: "Run a notebook without a browser and save its outputs, also when a cell fails. The kernel passes over commands\n" +
			"that fail and % commands that it doesn't know; here they fail the run, as does a figure's cell without a picture.",
		Example: "  nbbnn notebook run notebooks/figure-03.ipynb --out out/figure-03.ipynb",
		Args:    commandline.Arguments("NOTEBOOK.ipynb"),
		RunE: func(c *cobra.Command, args []string) error {
			arguments := []string{args[0], "--output", output, "--timeout", strconv.Itoa(int(timeout.Seconds()))}
			if output == "" {
				arguments[2] = args[0]
			}
			if directory != "" {
				arguments = append(arguments, "--directory", directory)
			}
			return runNotebook(c.Context(), a, args[0], arguments)
		},
	}
	f := command.Flags()
	f.StringVar(&output, "out", "", `where to save the notebook with its outputs; "" means where it is`)
	f.StringVar(&directory, "directory", "", `where cells run; "" means the notebook's directory`)
	f.DurationVar(&timeout, "timeout", 20*time.Minute, "longest time for one cell")
	return command
}

// runNotebook lets the runner of the clone do the work. An interrupt reaches it, too, and makes it save.
func runNotebook(ctx context.Context, a *app, path string, arguments []string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("nbbnn notebook run: %w: give the path of a notebook", err)
	}
	root, err := cloneRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	python := filepath.Join(root, pythonPath)
	if _, err := os.Stat(python); err != nil {
		return fmt.Errorf("nbbnn notebook run: no Python environment in %s: `make setup` there makes it", root)
	}
	command := exec.CommandContext(ctx, python, append([]string{filepath.Join(root, runnerPath)}, arguments...)...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.Stdout, command.Stderr = a.out, a.err
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("nbbnn notebook run: %s: %w", path, nbbnn.ErrStopped)
		}
		return fmt.Errorf("nbbnn notebook run: %s failed: %w", path, err)
	}
	return nil
}

// errNoClone says that a directory isn't part of a clone of the workbench.
var errNoClone = errors.New("not in a clone of the workbench")

// cloneRoot returns the root of the clone of the workbench that a directory is in.
func cloneRoot(directory string) (string, error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return "", fmt.Errorf("nbbnn: %w", err)
	}
	for root := absolute; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, runnerPath)); err == nil {
			return root, nil
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("nbbnn: %s is %w: run this where the notebooks are", absolute, errNoClone)
		}
	}
}
