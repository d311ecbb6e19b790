package main

import (
	"fmt"
	"slices"
)

// Verdicts about one attack, from the best to the worst.
const (
	harmless = "harmless" // every result is exactly as without it
	noticed  = "noticed"  // a message names what is wrong
	unclear  = "unclear"  // an error that doesn't name it
	leftover = "leftover" // files that the next command should have removed
	silent   = "silent"   // other results without a word
	crashed  = "crashed"  // a panic, a signal or a hang
)

var verdicts = []string{harmless, noticed, unclear, leftover, silent, crashed}

// row counts the attacks of one kind on one target.
type row struct {
	Kind     string         `json:"kind"`   // such as "flips"
	Target   string         `json:"target"` // such as "finished run: cells.csv"
	Tried    int            `json:"tried"`
	Verdicts map[string]int `json:"verdicts"`
}

// tally is the counts of a kind of attack, in the order in which its targets came.
type tally struct{ rows []*row }

// add counts an attack.
func (t *tally) add(kind, target, verdict string) {
	for _, r := range t.rows {
		if r.Kind == kind && r.Target == target {
			r.count(verdict)
			return
		}
	}
	r := &row{Kind: kind, Target: target, Verdicts: map[string]int{}}
	t.rows = append(t.rows, r)
	r.count(verdict)
}

// has reports whether an attack on a target was counted.
func (t *tally) has(kind, target string) bool {
	return slices.ContainsFunc(t.rows, func(r *row) bool { return r.Kind == kind && r.Target == target })
}

// counted reports whether an attack of any kind on a target was counted.
func (t *tally) counted(target string) bool {
	return slices.ContainsFunc(t.rows, func(r *row) bool { return r.Target == target })
}

func (r *row) count(verdict string) {
	r.Tried++
	r.Verdicts[verdict]++
}

// bad returns how many attacks ended as none may.
func (r *row) bad() int {
	return r.Verdicts[silent] + r.Verdicts[crashed] + r.Verdicts[leftover]
}

func (r *row) String() string {
	text := fmt.Sprintf("%-8s %-44s %5d tried", r.Kind, r.Target, r.Tried)
	for _, verdict := range verdicts {
		if n := r.Verdicts[verdict]; n > 0 {
			text += fmt.Sprintf("  %d %s", n, verdict)
		}
	}
	return text
}

// worse returns the worse of two verdicts.
func worse(a, b string) string {
	for i := len(verdicts) - 1; i >= 0; i-- {
		if verdicts[i] == a || verdicts[i] == b {
			return verdicts[i]
		}
	}
	return a
}
