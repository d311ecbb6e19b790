package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/tools/notebook/ipynb"
)

// runnerPath and pythonPath are the places of the notebooks' runner in a clone of the workbench,
// below its root.
const (
	runnerPath = "tools/notebook/run.py"
	pythonPath = ".cache/venv/bin/python"
)

func (a *app) runCommand() *cobra.Command {
	var work notebookWork
	command := &cobra.Command{
		Use:   "run NOTEBOOK",
		Short: "Run a notebook without a browser and save its outputs, also when a cell fails",
		Long: "Run a notebook without a browser and save its outputs, also when a cell fails. " +
			"The kernel passes over commands\n" +
			"that fail and % commands that it doesn't know; here they fail the run, as does a " +
			"figure's cell without a picture.\n" +
			"NOTEBOOK is an .ipynb file, or an .md file with " +
			"```go cells, of which an .ipynb file is made first, in place of an earlier\n" +
			"one whose cells nobody has changed.",
		Example: "  go run ./tools/notebook run notebooks/lesson-9.ipynb --out " +
			"out/lesson-9.ipynb\n  go run ./tools/notebook run mine/birds.md",
		RunE: func(c *cobra.Command, args []string) error {
			work.source = args[0]
			return a.runNotebook(c.Context(), work.withDefaults())
		},
	}
	f := command.Flags()
	f.StringVar(&work.output, "out", "",
		`where to save the notebook with its outputs; "" means where it is, or next to the .md file`)
	f.StringVar(&work.directory, "directory", "",
		`where cells run; "" means the notebook's directory`)
	f.DurationVar(&work.timeout, "timeout", 20*time.Minute, "longest time for one cell")
	return command
}

// notebookWork is a notebook to run.
type notebookWork struct {
	source    string // .ipynb, or .md
	output    string // .ipynb
	directory string // where cells run
	timeout   time.Duration
}

// withDefaults returns the work with the output and the directory next to the source, unless they
// are given.
func (w notebookWork) withDefaults() notebookWork {
	ending := filepath.Ext(w.source)
	if w.isMarkdown() {
		ending = ".ipynb"
	}
	w.output = cmp.Or(w.output, strings.TrimSuffix(w.source, filepath.Ext(w.source))+ending)
	w.directory = cmp.Or(w.directory, filepath.Dir(w.source))
	return w
}

func (w notebookWork) isMarkdown() bool { return filepath.Ext(w.source) == ".md" }

// runNotebook lets the runner of the clone do the work. An interrupt reaches it, too, and makes it
// save.
func (a *app) runNotebook(ctx context.Context, work notebookWork) error {
	root, err := work.prepare()
	if err != nil {
		return err
	}
	notebook := work.source
	if work.isMarkdown() {
		notebook = work.output
	}
	command := exec.CommandContext(ctx, filepath.Join(root, pythonPath),
		filepath.Join(root, runnerPath), notebook, "--output", work.output,
		"--directory", work.directory, "--timeout", strconv.Itoa(int(work.timeout.Seconds())))
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.Stdout, command.Stderr = a.out, a.err
	if err := command.Run(); err != nil {
		return fmt.Errorf("notebook run: %s failed: %w", work.source, cmp.Or(ctx.Err(), err))
	}
	fmt.Fprintln(a.out, work.output)
	return nil
}

// prepare finds the clone that runs the notebook, and writes an .md file's notebook to the output.
func (w notebookWork) prepare() (root string, err error) {
	if filepath.Ext(w.output) != ".ipynb" {
		return "", commandline.Usagef("notebook run: the notebook can't be saved "+
			"as %s: give --out a name that ends in .ipynb", w.output)
	}
	if err := files.CheckWritable(filepath.Dir(w.output)); err != nil {
		return "", fmt.Errorf("notebook run: can't write results into %s: %w: make the "+
			"folder writable, or choose another one with --out", filepath.Dir(w.output), err)
	}
	data, err := w.content()
	if err != nil {
		return "", fmt.Errorf("notebook run: %s: %w", w.source, err)
	}
	root = cmp.Or(files.Above(w.directory, runnerPath), files.Above(".", runnerPath))
	if root == "" {
		return "", fmt.Errorf("notebook run: %s isn't in a clone of the workbench: go to your "+
			"clone and repeat the command there", w.directory)
	}
	if _, err := os.Stat(filepath.Join(root, pythonPath)); err != nil {
		return "", fmt.Errorf("notebook run: no Python environment in %s: `make setup` "+
			"there makes it", root)
	}
	if !w.isMarkdown() {
		return root, nil
	}
	if before, err := files.ReadFile(w.output); err == nil && !ipynb.IsWritten(before) {
		return "", commandline.Usagef("notebook run: %s may have cells that "+
			"weren't made of %s: run it as it is, rename it, or give another --out",
			w.output, w.source)
	}
	if err := os.MkdirAll(filepath.Dir(w.output), 0o755); err != nil {
		return "", fmt.Errorf("notebook run: %w: choose another --out", err)
	}
	return root, files.WriteBytes(w.output, data)
}

// content returns the notebook, of an .md file without outputs. A file that can't be run is refused
// before Python reads it.
func (w notebookWork) content() ([]byte, error) {
	data, err := files.ReadFile(w.source)
	if err == nil && w.isMarkdown() {
		var source ipynb.Notebook
		if source, err = ipynb.Parse(strings.TrimSuffix(filepath.Base(w.source), ".md"),
			string(data)); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(source.Cells, func(cell ipynb.Cell) bool { return cell.Code }) {
			return nil, errors.New("it has no code cell: begin one with a line \"```go\"")
		}
		data, err = ipynb.Encode(source)
	}
	if err != nil {
		return nil, err
	}
	return data, ipynb.Check(data)
}
