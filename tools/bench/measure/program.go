package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Program is a benchmark in a process of its own: it prints one Result as JSON on standard output.
type Program struct {
	Name        string   // in tables, such as "PyTorch"
	Command     []string // the program and its arguments
	Environment []string // variables in addition to those of this process, "NAME=value"
}

// Run runs the program once. A program that fails is quoted with the last line that it wrote.
func (p Program) Run(ctx context.Context) (Result, error) {
	command := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	command.Env = append(os.Environ(), p.Environment...)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		return Result{}, fmt.Errorf("bench: %s failed: %w: %s", p.Name, err, lastLine(problems.String()))
	}
	var result Result
	if err := json.Unmarshal(output, &result); err != nil {
		return Result{}, fmt.Errorf("bench: %s printed no result: %w", p.Name, err)
	}
	if result.MedianSeconds <= 0 {
		return Result{}, fmt.Errorf("bench: %s printed a time of %g s: want a positive one", p.Name, result.MedianSeconds)
	}
	return result, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
