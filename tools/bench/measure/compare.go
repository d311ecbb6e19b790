package measure

import (
	"context"
	"errors"
	"fmt"
)

// Comparison is several programs that were run in turn, A B C, B C A, so that what else the machine
// does touches all alike, and what it gives to the first of a round.
type Comparison struct {
	What string `json:"what"`
	Workload
	Steps   int     `json:"steps"`   // that were timed in each process
	Rounds  int     `json:"rounds"`  // processes of each program
	Entries []Entry `json:"entries"` // the first one is ours, the others what it's compared with
}

// Entry is one program of a comparison.
type Entry struct {
	Name        string  `json:"name"`
	Engine      string  `json:"engine"`
	Device      string  `json:"device,omitempty"`
	Cores       int     `json:"cores"`
	Components  int     `json:"components"`
	Seconds     Spread  `json:"seconds"`       // of the medians of the rounds
	Total       Spread  `json:"total_seconds"` // of all timed steps of a process
	Ratio       Spread  `json:"ratio"`         // time of the first program over this one's, round by round
	PeakMemory  int64   `json:"peak_memory_bytes"`
	StartMemory int64   `json:"start_memory_bytes"`
	PeakGFLOPS  float64 `json:"peak_gflops"` // best of the rounds, of a plain matrix product
	Operations  float64 `json:"operations,omitempty"`
	Commit      string  `json:"commit"`
}

// Key tells comparisons of the same thing on the same work.
func (c Comparison) Key() string {
	return fmt.Sprint(c.What, " ", c.Network, " ", c.Width, " ", c.Images, "x", c.Samples, " ", c.Mode, " ", c.Precision)
}

// Compare runs the programs in turn for so many rounds, at least one. After each round report is
// called with its number, from 1. A program that fails is left out, unless it's the first: the
// comparison has the others, and the error says why. When the context is cancelled, the comparison
// is of the rounds that are complete, or, in the first round, of the programs that were run.
func Compare(ctx context.Context, programs []Program, rounds int, report func(round int)) (Comparison, error) {
	if rounds < 1 {
		return Comparison{}, fmt.Errorf("bench: %d rounds compare nothing: choose at least 1", rounds)
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
				return newComparison(programs, results, failures, round), errors.Join(append(failures, ctx.Err())...)
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
func newComparison(programs []Program, results [][]Result, failures []error, rounds int) Comparison {
	first := results[0][0]
	comparison := Comparison{What: first.What, Workload: first.Workload, Steps: first.Steps, Rounds: rounds}
	for i, program := range programs {
		if failures[i] == nil {
			comparison.Entries = append(comparison.Entries, newEntry(program.Name, results[i][:rounds], results[0][:rounds]))
		}
	}
	return comparison
}

// newEntry summarises a program's rounds and compares them with the first program's.
func newEntry(name string, results, first []Result) Entry {
	last := results[len(results)-1]
	entry := Entry{Name: name, Engine: last.Engine, Device: last.Device, Cores: last.Cores, Components: last.Components, Operations: last.Operations, Commit: last.Commit}
	var seconds, totals, ratios []float64
	for round, result := range results {
		seconds = append(seconds, result.MedianSeconds)
		totals = append(totals, result.TotalSeconds)
		ratios = append(ratios, first[round].MedianSeconds/result.MedianSeconds)
		entry.PeakMemory = max(entry.PeakMemory, result.PeakMemory)
		entry.StartMemory = max(entry.StartMemory, result.StartMemory)
		entry.PeakGFLOPS = max(entry.PeakGFLOPS, result.PeakGFLOPS)
	}
	entry.Seconds, entry.Total, entry.Ratio = NewSpread(seconds), NewSpread(totals), NewSpread(ratios)
	return entry
}
