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

// Vet runs go vet over a program of all cells in a copy of the notebooks' module, whose directory is
// given. The kernel makes a program of each cell; in one of all, a name that two cells declare is a
// problem, too. Problems carry their line of the notebook's source.
func Vet(ctx context.Context, n Notebook, directory string) (err error) {
	temp, err := os.MkdirTemp("", "notebook-")
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := os.WriteFile(filepath.Join(temp, "main.go"), []byte(n.program()), 0o644); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	if err := copyModule(ctx, directory, temp); err != nil {
		return err
	}
	output, err := goCommand(ctx, temp, slices.Concat([]string{"vet"}, cellFlags, []string{"."})...)
	if err != nil {
		return fmt.Errorf("notebook: cells of %s.md do not vet:\n%s", n.Name, sourcePositions(n, output))
	}
	return nil
}

// program returns the Go code of all cells, without the kernel's commands. What follows "%%" in a cell
// becomes a function. Lines are marked with those of the notebook's source.
func (n Notebook) program() string {
	lines := []string{"package main"}
	for i, cell := range n.Cells {
		if !cell.Code {
			continue
		}
		lines = append(lines, fmt.Sprintf("//line %s.md:%d", n.Name, cell.Line))
		closing := ""
		for _, line := range cell.Lines {
			switch {
			case line == "%%":
				line, closing = fmt.Sprintf("func cell%d() {", i), "}"
			case isCommand(line):
				line = ""
			}
			lines = append(lines, line)
		}
		lines = append(lines, closing)
	}
	return strings.Join(append(lines, "func main() {}"), "\n")
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
