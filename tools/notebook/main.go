// Command notebook checks, builds, verifies and runs notebooks, whose sources are markdown:
//
//	go run ./tools/notebook check notebooks/lesson-9.md
//	go run ./tools/notebook build --out .cache/notebooks notebooks/lesson-9.md
//	go run ./tools/notebook verify notebooks/*.md
//	go run ./tools/notebook run notebooks/lesson-9.ipynb
//
// The source NAME.md and the notebook NAME.ipynb are in the same folder.
package main

import (
	"cmp"
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
		Short: "Check, build, verify and run notebooks",
	}
	command.CompletionOptions.DisableDefaultCmd = true
	var out string
	var nbgrader bool
	build := a.command("build", "Write notebooks without outputs",
		func(_ context.Context, path string, source ipynb.Notebook) error {
			return a.build(path, source, out, nbgrader)
		})
	build.Flags().StringVar(&out, "out", "", `directory of the notebooks; "" means the source's`)
	build.Flags().BoolVar(&nbgrader, "nbgrader", false, "divide exercises that check themselves "+
		"for nbgrader, and run in any folder of this machine")
	command.AddCommand(a.command("check", "Review sources, and vet their cells", check), build,
		a.command("verify", "Report whether notebooks hold the outputs of a complete run of "+
			"their sources", verify), a.runCommand())
	return command
}

// command returns a command that works on each source; it continues after an error.
func (a *app) command(name, short string, work func(ctx context.Context, path string,
	source ipynb.Notebook) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " SOURCE.md...", Short: short, Example: "  go run ./tools/notebook " +
			name + " notebooks/lesson-9.md",
		Args: someSources,
		RunE: func(c *cobra.Command, paths []string) error {
			var problems []error
			for _, path := range paths {
				source, err := readSource(path)
				if err == nil {
					err = work(c.Context(), path, source)
				}
				if err == nil {
					fmt.Fprintln(a.err, "good     "+path)
				}
				problems = append(problems, err)
			}
			return errors.Join(problems...)
		},
	}
}

func check(ctx context.Context, path string, source ipynb.Notebook) error {
	return errors.Join(ipynb.Review(source), ipynb.Vet(ctx, source, filepath.Dir(path)))
}

func verify(_ context.Context, path string, source ipynb.Notebook) error {
	data, err := os.ReadFile(strings.TrimSuffix(path, ".md") + ".ipynb")
	if err != nil {
		return fmt.Errorf("notebook: %w: make notebooks writes it", err)
	}
	return ipynb.Verify(source, data)
}

// build writes a notebook without outputs.
func (a *app) build(path string, source ipynb.Notebook, directory string, nbgrader bool) error {
	if nbgrader {
		ready, err := filepath.Abs(filepath.Join(filepath.Dir(path), "ready"))
		if err != nil {
			return err
		}
		if source, err = source.Assignment(ready); err != nil {
			return err
		}
	}
	data, err := ipynb.Encode(source)
	if err != nil {
		return err
	}
	directory = cmp.Or(directory, filepath.Dir(path))
	notebook := filepath.Join(directory, source.Name+".ipynb")
	if err := cmp.Or(os.MkdirAll(directory, 0o755), files.WriteBytes(notebook, data)); err != nil {
		return fmt.Errorf("notebook: %w: make the directory writable, or choose another --out", err)
	}
	fmt.Fprintln(a.out, notebook)
	return nil
}

// someSources accepts one or more markdown sources.
func someSources(c *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return commandline.Usagef("%s: no source given: `%[1]s --help` shows an example",
			c.CommandPath())
	}
	wrong := slices.IndexFunc(paths, func(path string) bool { return filepath.Ext(path) != ".md" })
	if wrong >= 0 {
		return commandline.Usagef("%s: %s is no source: give its .md", c.CommandPath(),
			paths[wrong])
	}
	return nil
}

func readSource(path string) (ipynb.Notebook, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ipynb.Notebook{}, fmt.Errorf("notebook: %w", err)
	}
	return ipynb.Parse(strings.TrimSuffix(filepath.Base(path), ".md"), string(text))
}
