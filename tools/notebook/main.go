// Command notebook checks, builds and verifies the notebooks, whose sources are markdown:
//
//	go run ./tools/notebook check notebooks/lesson-9.md
//	go run ./tools/notebook build --out .cache/notebooks notebooks/lesson-9.md
//	go run ./tools/notebook verify notebooks/*.md
//
// The source NAME.md and the notebook NAME.ipynb are in the same folder. run.py runs notebooks.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/tools/notebook/ipynb"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{out: stdout, err: stderr}
	return commandline.Run(ctx, a.root(), args, stdout, stderr)
}

// app holds the streams that all commands share.
type app struct{ out, err io.Writer }

func (a *app) root() *cobra.Command {
	command := &cobra.Command{
		Use:   "notebook",
		Short: "Check, build and verify the workbench's notebooks",
	}
	command.CompletionOptions.DisableDefaultCmd = true
	command.AddCommand(a.checkCommand(), a.buildCommand(), a.verifyCommand())
	return command
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check SOURCE.md...",
		Short:   "Review sources, and vet their cells",
		Example: "  go run ./tools/notebook check notebooks/lesson-9.md",
		Args:    someSources,
		RunE: func(c *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source ipynb.Notebook) error {
				return errors.Join(ipynb.Review(source), ipynb.Vet(c.Context(), source, filepath.Dir(path)))
			})
		},
	}
}

func (a *app) buildCommand() *cobra.Command {
	var out string
	var nbgrader bool
	command := &cobra.Command{
		Use:     "build SOURCE.md...",
		Short:   "Write notebooks without outputs",
		Example: "  go run ./tools/notebook build --out .cache/notebooks notebooks/lesson-9.md",
		Args:    someSources,
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source ipynb.Notebook) error {
				directory := out
				if directory == "" {
					directory = filepath.Dir(path)
				}
				if nbgrader {
					ready, err := filepath.Abs(filepath.Join(filepath.Dir(path), "ready"))
					if err != nil {
						return err
					}
					source = source.Assignment(ready)
				}
				return a.write(source, directory)
			})
		},
	}
	command.Flags().StringVar(&out, "out", "", `directory of the notebooks; "" means that of the source`)
	command.Flags().BoolVar(&nbgrader, "nbgrader", false, "divide exercises that check themselves for nbgrader, and run in any folder of this machine")
	return command
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify SOURCE.md...",
		Short:   "Report whether notebooks hold the outputs of a complete run of their sources",
		Example: "  go run ./tools/notebook verify notebooks/*.md",
		Args:    someSources,
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source ipynb.Notebook) error {
				data, err := os.ReadFile(notebookPath(path))
				if err != nil {
					return fmt.Errorf("notebook: %w: make notebooks writes it", err)
				}
				return ipynb.Verify(source, data)
			})
		},
	}
}

// someSources accepts one or more markdown sources.
func someSources(c *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return commandline.Usage(fmt.Errorf("%s: no source given: `%[1]s --help` shows an example", c.CommandPath()))
	}
	wrong := slices.IndexFunc(paths, func(path string) bool { return filepath.Ext(path) != ".md" })
	if wrong >= 0 {
		return commandline.Usage(fmt.Errorf("%s: %s is no source: give its .md", c.CommandPath(), paths[wrong]))
	}
	return nil
}

// eachSource reads each source and works on it; it continues after an error.
func (a *app) eachSource(paths []string, work func(path string, source ipynb.Notebook) error) error {
	var problems []error
	for _, path := range paths {
		source, err := readSource(path)
		if err == nil {
			err = work(path, source)
		}
		if err == nil {
			fmt.Fprintln(a.err, "good     "+path)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func readSource(path string) (ipynb.Notebook, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ipynb.Notebook{}, fmt.Errorf("notebook: %w", err)
	}
	return ipynb.Parse(strings.TrimSuffix(filepath.Base(path), ".md"), string(text))
}

func notebookPath(source string) string { return strings.TrimSuffix(source, ".md") + ".ipynb" }

// write writes a notebook without outputs.
func (a *app) write(notebook ipynb.Notebook, directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("notebook: %w: choose another --out", err)
	}
	data, err := ipynb.Encode(notebook)
	if err != nil {
		return err
	}
	path := filepath.Join(directory, notebook.Name+".ipynb")
	if err := files.WriteBytes(path, data); err != nil {
		return fmt.Errorf("notebook: %w: make the directory writable", err)
	}
	fmt.Fprintln(a.out, path)
	return nil
}
