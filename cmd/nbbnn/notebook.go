package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/notebook"
)

func (a *app) notebookCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "notebook",
		Short: "Check, write and run the workbench's notebooks",
		Long: "Check, write and run the workbench's notebooks, whose sources are markdown.\n" +
			"A source is a file NAME.md; the notebook NAME.ipynb stands beside it.",
		Example: "  nbbnn notebook check notebooks/figure-03.md\n" +
			"  nbbnn notebook run notebooks/figure-03.ipynb",
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(a.notebookCheckCommand(), a.notebookBuildCommand(), a.notebookVerifyCommand(), a.notebookRunCommand())
	return command
}

func (a *app) notebookCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check SOURCE.md...",
		Short:   "Review sources, and vet their cells as the kernel composes them",
		Example: "  nbbnn notebook check notebooks/figure-03.md",
		Args:    someSources,
		RunE: func(c *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source notebook.Notebook) error {
				filled, err := source.Filled()
				if err != nil {
					return err
				}
				return errors.Join(notebook.Review(filled), notebook.Vet(c.Context(), filled, filepath.Dir(path)))
			})
		},
	}
}

func (a *app) notebookBuildCommand() *cobra.Command {
	var out string
	command := &cobra.Command{
		Use:   "build SOURCE.md...",
		Short: "Write notebooks without outputs; one with solutions gets an empty twin",
		Long: "Write notebooks without outputs. Where cells of a source have solutions, between the lines \"// ## solution\" and\n" +
			"\"// ## end\", a second notebook NAME-exercise.ipynb is written, in which they are left out.",
		Example: "  nbbnn notebook build --out .cache/notebooks notebooks/figure-03.md",
		Args:    someSources,
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source notebook.Notebook) error {
				directory := out
				if directory == "" {
					directory = filepath.Dir(path)
				}
				return a.writeTwins(source, directory)
			})
		},
	}
	command.Flags().StringVar(&out, "out", "", `directory of the notebooks; "" means that of the source`)
	return command
}

func (a *app) notebookVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify SOURCE.md...",
		Short:   "Say whether the notebooks beside sources hold the outputs of a complete run of them",
		Example: "  nbbnn notebook verify notebooks/*.md",
		Args:    someSources,
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.eachSource(paths, func(path string, source notebook.Notebook) error {
				filled, err := source.Filled()
				if err != nil {
					return err
				}
				data, err := os.ReadFile(notebookPath(path))
				if err != nil {
					return fmt.Errorf("nbbnn notebook: %w: make notebooks writes it", err)
				}
				return notebook.Verify(filled, data)
			})
		},
	}
}

// someSources refuses a command line without sources, or with other files.
func someSources(c *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return asUsage(fmt.Errorf("%s: no source given: `%[1]s --help` shows an example", c.CommandPath()))
	}
	wrong := slices.IndexFunc(paths, func(path string) bool { return filepath.Ext(path) != ".md" })
	if wrong >= 0 {
		return asUsage(fmt.Errorf("%s: %s is no source: give the .md beside it", c.CommandPath(), paths[wrong]))
	}
	return nil
}

// eachSource reads sources and works on one after the other, also when one fails.
func (a *app) eachSource(paths []string, work func(path string, source notebook.Notebook) error) error {
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

func readSource(path string) (notebook.Notebook, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return notebook.Notebook{}, fmt.Errorf("nbbnn notebook: %w", err)
	}
	return notebook.Parse(strings.TrimSuffix(filepath.Base(path), ".md"), string(text))
}

// notebookPath is the file of the notebook beside a source.
func notebookPath(source string) string { return strings.TrimSuffix(source, ".md") + ".ipynb" }

// writeTwins writes the notebook of a source and, where it has solutions, the one without them.
func (a *app) writeTwins(source notebook.Notebook, directory string) error {
	makers := []func() (notebook.Notebook, error){source.Filled}
	if source.HasSolutions() {
		makers = append(makers, source.Empty)
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("nbbnn notebook: %w: choose another --out", err)
	}
	for _, twin := range makers {
		made, err := twin()
		if err != nil {
			return err
		}
		data, err := notebook.Encode(made)
		if err != nil {
			return err
		}
		path := filepath.Join(directory, made.Name+".ipynb")
		if err := atomicfile.WriteBytes(path, data); err != nil {
			return fmt.Errorf("nbbnn notebook: %w: make the directory writable", err)
		}
		fmt.Fprintln(a.out, path)
	}
	return nil
}
