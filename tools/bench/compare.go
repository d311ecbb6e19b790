package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Program is a benchmark in a separate process: it prints one Result as JSON on standard output.
type Program struct {
	Name        string   // in tables, for example "PyTorch"
	Command     []string // the program and its arguments
	Environment []string // variables in addition to this process's, "NAME=value"
}

// Run runs the program once and returns its result. A program that fails is quoted with the last
// line that it wrote.
func (p Program) Run(ctx context.Context) (result Result, err error) {
	command := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	command.Env = append(os.Environ(), p.Environment...)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(problems.String()), "\n")
		return result, fmt.Errorf("bench: %s failed: %w: %s", p.Name, err, lines[len(lines)-1])
	}
	if err := json.Unmarshal(output, &result); err != nil {
		return result, fmt.Errorf("bench: %s printed no result: %w", p.Name, err)
	}
	if result.MedianSeconds <= 0 {
		return result, fmt.Errorf("bench: %s printed a time of %g s: want a positive one", p.Name,
			result.MedianSeconds)
	}
	return result, nil
}

// Comparison is several programs that ran in turn, A B C, B C A, so that other work of the machine,
// and the first place of a round, affect all alike.
type Comparison struct {
	What    string  `json:"what"`
	Network string  `json:"network"`
	Width   int     `json:"width"`
	Images  int     `json:"images"`
	Samples int     `json:"samples"`
	Steps   int     `json:"steps"`   // that were timed in each process
	Rounds  int     `json:"rounds"`  // processes of each program
	Entries []Entry `json:"entries"` // the first one is ours, the others what it's compared with
}

// Entry is one program of a comparison.
type Entry struct {
	Name       string `json:"name"`
	Engine     string `json:"engine"`
	Device     string `json:"device,omitempty"`
	Seconds    Spread `json:"seconds"` // of the medians of the rounds
	Ratio      Spread `json:"ratio"`   // time of the first program over this one's, round by round
	PeakMemory int64  `json:"peak_memory_bytes"`
	Commit     string `json:"commit"`
}

// compare runs the programs in turn for some rounds, at least one. After each round report is
// called with its number, from 1. A program that fails is left out, unless it's the first: the
// comparison has the others, and the error explains it. When the context is cancelled, the
// comparison is of the rounds that are complete, or, in the first round, of the programs that were
// run.
func compare(ctx context.Context, programs []Program, rounds int,
	report func(round int)) (Comparison, error) {
	if rounds < 1 {
		return Comparison{}, fmt.Errorf("bench: %d rounds compare nothing: choose at least 1",
			rounds)
	}
	results, failures := make([][]Result, len(programs)), make([]error, len(programs))
	for round := range rounds {
		for place := range programs {
			i := (place + round) % len(programs)
			if failures[i] != nil {
				continue
			}
			result, err := programs[i].Run(ctx)
			if round > 0 && ctx.Err() != nil {
				return newComparison(programs, results, failures, round),
					errors.Join(append(failures, ctx.Err())...)
			}
			if err != nil && i == 0 {
				return Comparison{}, err
			}
			results[i], failures[i] = append(results[i], result), err
		}
		report(round + 1)
	}
	return newComparison(programs, results, failures, rounds), errors.Join(failures...)
}

// newComparison summarises the first rounds of the programs that haven't failed.
func newComparison(programs []Program, results [][]Result, failures []error,
	rounds int) Comparison {
	first := results[0][0]
	comparison := Comparison{What: first.What, Network: first.Network, Width: first.Width,
		Images: first.Images, Samples: first.Samples, Steps: first.Steps, Rounds: rounds}
	for i, program := range programs {
		if failures[i] != nil {
			continue
		}
		last := results[i][rounds-1]
		entry := Entry{Name: program.Name, Engine: last.Engine, Device: last.Device,
			Commit: last.Commit}
		var seconds, ratios []float64
		for round, result := range results[i][:rounds] {
			seconds, ratios = append(seconds, result.MedianSeconds),
				append(ratios, results[0][round].MedianSeconds/result.MedianSeconds)
			entry.PeakMemory = max(entry.PeakMemory, result.PeakMemory)
		}
		entry.Seconds, entry.Ratio = newSpread(seconds), newSpread(ratios)
		comparison.Entries = append(comparison.Entries, entry)
	}
	return comparison
}

// Spread summarises repeated measurements of one quantity by their order statistics.
type Spread struct {
	Median        float64 `json:"median"`
	FirstQuartile float64 `json:"first_quartile"`
	ThirdQuartile float64 `json:"third_quartile"`
	Least         float64 `json:"least"`
	Most          float64 `json:"most"`
	Count         int     `json:"count"`
}

// newSpread summarises one or more values.
func newSpread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	return Spread{quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75), sorted[0],
		sorted[len(sorted)-1], len(sorted)}
}

func (s Spread) quartiles(text func(float64) string) string {
	return text(s.FirstQuartile) + " to " + text(s.ThirdQuartile)
}

// quantile interpolates between the two values around a fraction of the sorted ones.
func quantile(sorted []float64, fraction float64) float64 {
	place := fraction * float64(len(sorted)-1)
	below := math.Floor(place)
	low, high := sorted[int(below)], sorted[int(math.Ceil(place))]
	return low + (place-below)*(high-low)
}
