package ipynb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// cellFlags build the notebooks' cells: no XLA, no C code of the standard library, no tables for
// debuggers.
var cellFlags = []string{"-tags=noxla,netgo,osusergo", "-gcflags=all=-dwarf=false"}

// Vet runs go vet over a program of all cells in the notebooks' module, replacing deps.go, without
// writing to the module's directory. The kernel makes a program of each cell; in one of all, a name
// that two cells declare is a problem, too. Problems carry their line of the notebook's source.
func Vet(ctx context.Context, n Notebook, directory string) (err error) {
	temp, err := os.MkdirTemp("", "notebook-")
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	directory, err = filepath.Abs(directory)
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	program, overlay := filepath.Join(temp, "main.go"), filepath.Join(temp, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(directory, "deps.go"): program}})
	if err := cmp.Or(err, os.WriteFile(program, []byte(n.program()), 0o644),
		os.WriteFile(overlay, replaced, 0o644)); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	command := exec.CommandContext(ctx, "go", slices.Concat([]string{"vet", "-overlay=" + overlay},
		cellFlags, []string{"."})...)
	command.Dir = directory
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("notebook: cells of %s.md do not vet:\n%s", n.Name,
			sourcePositions(n, string(output)))
	}
	return nil
}

// program returns the Go code of all cells, without the kernel's commands. What follows "%%" in a
// cell becomes a function. Lines are marked with their numbers in the notebook's source.
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

// sourcePositions removes from messages of go vet everything before the name of the notebook's
// source.
func sourcePositions(n Notebook, output string) string {
	prefix := regexp.MustCompile(`(?m)^(vet: )?\S*` + regexp.QuoteMeta(n.Name+".md:"))
	return strings.TrimSpace(prefix.ReplaceAllLiteralString(output, n.Name+".md:"))
}
