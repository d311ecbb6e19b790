package ipynb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rootModule is the module that the notebooks' own module replaces by the directory above it.
const rootModule = "github.com/nbbnn/workbench"

// cellFlags are what the notebooks' cells are built with: no XLA, no C code of the standard
// library, no tables for debuggers.
var cellFlags = []string{"-tags=noxla,netgo,osusergo", "-gcflags=all=-dwarf=false"}

// Vet composes every cell as the kernel does, each into a program of its own, and runs one go vet
// over all of them in a copy of the notebooks' module, whose directory is given. Problems carry
// their line of the notebook's source.
func Vet(ctx context.Context, n Notebook, directory string) (err error) {
	temp, err := os.MkdirTemp("", "notebook-")
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := writePrograms(n, temp); err != nil {
		return err
	}
	if err := copyModule(ctx, directory, temp); err != nil {
		return err
	}
	output, err := goCommand(ctx, temp, slices.Concat([]string{"vet"}, cellFlags, []string{"./..."})...)
	if err != nil {
		return fmt.Errorf("notebook: cells of %s.md do not vet:\n%s", n.Name, sourcePositions(n, output))
	}
	return nil
}

// writePrograms writes each cell's program into a directory of its own.
func writePrograms(n Notebook, directory string) error {
	session := newSession(n.Name + ".md")
	for i, cell := range n.Cells {
		if !cell.Code {
			continue
		}
		program, err := session.compose(cell)
		if err != nil {
			return err
		}
		if program == "" {
			continue
		}
		if err := writeProgram(filepath.Join(directory, fmt.Sprintf("cell%02d", i+1)), program); err != nil {
			return fmt.Errorf("notebook: %w", err)
		}
	}
	return nil
}

// writeProgram writes a program of one file.
func writeProgram(directory, program string) error {
	if err := os.Mkdir(directory, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "main.go"), []byte(program), 0o644)
}

// copyModule copies the notebooks' module file and checksums as the first cell of every notebook
// does.
func copyModule(ctx context.Context, from, to string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("notebook: %w", err)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return fmt.Errorf("notebook: %w", err)
		}
	}
	root, err := filepath.Abs(filepath.Join(from, ".."))
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	if output, err := goCommand(ctx, to, "mod", "edit", "-replace="+rootModule+"="+root); err != nil {
		return fmt.Errorf("notebook: %s", output)
	}
	return nil
}

// goCommand runs the go command in the directory and returns what it prints.
func goCommand(ctx context.Context, directory string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = directory
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	output, err := command.CombinedOutput()
	return string(output), err
}

// sourcePositions removes from messages of go vet what stands before the name of the notebook's
// source.
func sourcePositions(n Notebook, output string) string {
	prefix := regexp.MustCompile(`(?m)^(vet: )?\S*` + regexp.QuoteMeta(n.Name+".md:"))
	return strings.TrimSpace(prefix.ReplaceAllLiteralString(output, n.Name+".md:"))
}
