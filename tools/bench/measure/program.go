package measure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/parallel"
)

// Program is a benchmark in a process of its own: it prints one Result as JSON on standard output.
type Program struct {
	Name        string   // in tables, such as "PyTorch"
	Command     []string // the program and its arguments
	Environment []string // variables in addition to those of this process, "NAME=value"
	Copies      int      // that run at once; 0 means 1
}

// Run runs the program once and returns its result, or that of the slowest of its copies. A program
// that fails is quoted with the last line that it wrote.
func (p Program) Run(ctx context.Context) (Result, error) {
	results, errs := make([]Result, max(1, p.Copies)), make([]error, max(1, p.Copies))
	parallel.Do(len(results), len(results), func(i int) { results[i], errs[i] = p.runOne(ctx) })
	slowest := slices.MaxFunc(results, func(a, b Result) int { return cmp.Compare(a.MedianSeconds, b.MedianSeconds) })
	return slowest, cmp.Or(errs...)
}

func (p Program) runOne(ctx context.Context) (Result, error) {
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
