// Command notebook writes and checks the notebooks of this project; see package notebook.
//
//	go run ./internal/notebook/cmd/notebook generate notebooks/figure-03.md DIRECTORY
//	go run ./internal/notebook/cmd/notebook check notebooks/figure-03.md
//	go run ./internal/notebook/cmd/notebook verify notebooks/figure-03.md
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/notebook"
)

// errUsage asks for the right arguments.
var errUsage = errors.New("notebook: usage: notebook generate SOURCE.md DIRECTORY | check SOURCE.md | verify SOURCE.md")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run performs the action that the first argument names on the source that the second names.
func run(ctx context.Context, arguments []string) error {
	if len(arguments) < 2 {
		return errUsage
	}
	path := arguments[1]
	source, err := read(path)
	if err != nil {
		return err
	}
	switch action, rest := arguments[0], arguments[2:]; {
	case action == "generate" && len(rest) == 1:
		return generate(source, rest[0])
	case action == "check" && len(rest) == 0:
		return check(ctx, source, filepath.Dir(path))
	case action == "verify" && len(rest) == 0:
		return verify(source, filepath.Dir(path))
	}
	return errUsage
}

// read parses the source at the path.
func read(path string) (notebook.Notebook, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return notebook.Notebook{}, fmt.Errorf("notebook: %w", err)
	}
	return notebook.Parse(strings.TrimSuffix(filepath.Base(path), ".md"), string(text))
}

// generate writes the notebook without outputs into the directory.
func generate(source notebook.Notebook, directory string) error {
	data, err := notebook.Encode(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	return atomicfile.WriteBytes(filepath.Join(directory, source.Name+".ipynb"), data)
}

// check reviews the source and vets its cells in the module at the directory.
func check(ctx context.Context, source notebook.Notebook, directory string) error {
	return errors.Join(notebook.Review(source), notebook.Vet(ctx, source, directory))
}

// verify compares the notebook beside the source with the source.
func verify(source notebook.Notebook, directory string) error {
	data, err := os.ReadFile(filepath.Join(directory, source.Name+".ipynb"))
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	return notebook.Verify(source, data)
}
