//go:build attack

package command

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// killed is a command that is killed again and again until it ends by itself.
type killed struct {
	name      string
	parts     []string // of the scene that it needs
	arguments []string
	readers   []reader // of its results
}

// killed returns the commands that are killed.
func (s *scene) killed() []killed {
	training := trainSeed(4, 6)
	evaluating := slices.Concat([]string{"evaluate", s.first, "--save", "saved", "--suite", "snow",
		"--samples", "2", "--images", "30", "--json"})
	return []killed{
		{"train", []string{"weights.safetensors"}, training,
			[]reader{command(training), command([]string{"runs", "--sort", "run", "--json"})}},
		{"evaluate", []string{s.run(s.first)}, evaluating, []reader{
			{arguments: evaluating, writes: append(s.inRun(s.first, "cells.csv", "bins.csv"),
				"saved/snow-3.npz")},
		}},
		{"corrupt make", []string{"weights.safetensors"},
			[]string{"corrupt", "make", "--data", "shapes10", "--suite", "fog,snow", "--images",
				"200", "--seed", "3", "--out", "made"}, []reader{
				{call: func() (any, error) {
					return nil, nil
				}, writes: []string{"made/fog.npy", "made/snow.npy", "made/labels.npy",
					"made/manifest.json"}},
			}},
		{"import", []string{"weights.safetensors"}, []string{"weights", "import",
			"weights.safetensors", "--runs", "imported"}, []reader{
			{arguments: []string{"weights", "export", s.first, "again.safetensors", "--runs",
				"imported"}, writes: []string{"again.safetensors"}},
		}},
	}
}

// end is how a process ended.
type end struct {
	killed bool // by the attack
	status int
	text   string
}

// fine reports whether a process was killed, ended well, or said that another is at work.
func (e end) fine() bool { return e.killed || e.status == exitDone || e.status == exitStopped }

// launch runs a command in a process of its own, in the current folder, and kills it after a time
// unless it has ended.
func launch(t *testing.T, life time.Duration, arguments []string) end {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	process := exec.CommandContext(ctx, os.Args[0], arguments...)
	var text strings.Builder
	process.Stderr = &text
	if err := process.Start(); err != nil {
		t.Error(err)
		return end{}
	}
	var fired atomic.Bool
	timer := time.AfterFunc(life, func() {
		fired.Store(true)
		_ = process.Process.Kill()
	})
	defer timer.Stop()
	_ = process.Wait() // its status is looked at
	status := process.ProcessState.ExitCode()
	return end{fired.Load() && status < 0, status, text.String()}
}

const forever = time.Hour

// undisturbed returns the results of a command that nothing disturbs, and how long it takes.
func (s *scene) undisturbed(t *testing.T, k killed) (want []reading, span time.Duration) {
	t.Helper()
	s.copyParts(t, k.parts)
	started := time.Now()
	if got := launch(t, forever, k.arguments); got.status != exitDone {
		t.Fatalf("undisturbed: status %d: %s", got.status, got.text)
	}
	span = time.Since(started)
	return read(t, k.readers), span
}

// check compares the results of a disturbed command in the current folder with the others.
func (k killed) check(t *testing.T, what string, want []reading) {
	t.Helper()
	for i, got := range read(t, k.readers) {
		if got.status != exitDone || got.result != want[i].result {
			t.Errorf("%s: status %d, %s: %s", what, got.status,
				difference(got.result, want[i].result), lastLine(got.text))
		}
	}
	if left := leftovers(); len(left) > 0 {
		t.Errorf("%s: left over are %q", what, left)
	}
}

// A command that is killed at any time can be repeated, and ends with the same files and numbers.
func TestAttackKills(t *testing.T) {
	s := newScene(t)
	for _, k := range s.killed() {
		t.Run(strings.ReplaceAll(k.name, " ", "-"), func(t *testing.T) {
			want, span := s.undisturbed(t, k)
			kills := 0
			for round := 0; kills < *tries; round++ {
				random := rand.New(rand.NewPCG(*attackSeed, uint64(round)))
				s.copyParts(t, k.parts)
				before := kills
				for {
					got := launch(t, time.Duration(random.Float64()*float64(span)), k.arguments)
					if !got.killed {
						if !got.fine() {
							t.Errorf("it can't be repeated: status %d: %s", got.status,
								lastLine(got.text))
						}
						break
					}
					kills++
				}
				k.check(t, fmt.Sprintf("after %d kills", kills-before), want)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// Two to four processes of one command at about the same time, one of them killed every second
// time, give the result of one.
func TestAttackTogether(t *testing.T) {
	s := newScene(t)
	for _, k := range s.killed() {
		t.Run(strings.ReplaceAll(k.name, " ", "-"), func(t *testing.T) {
			want, span := s.undisturbed(t, k)
			for try := range max(1, *tries/4) {
				random := rand.New(rand.NewPCG(*attackSeed, uint64(try)))
				s.copyParts(t, k.parts)
				ends := make([]end, 2+random.IntN(3))
				var group sync.WaitGroup
				for i := range ends {
					wait, life := time.Duration(random.Float64()*float64(span)/2), forever
					if i == 0 && try%2 == 0 {
						life = time.Duration(random.Float64() * float64(span))
					}
					group.Go(func() {
						time.Sleep(wait)
						ends[i] = launch(t, life, k.arguments)
					})
				}
				group.Wait()
				for _, got := range ends {
					if !got.fine() {
						t.Errorf("one of %d: status %d: %s", len(ends), got.status,
							lastLine(got.text))
					}
				}
				if !slices.ContainsFunc(ends, func(e end) bool {
					return !e.killed && e.status == exitDone
				}) {
					if got := launch(t, forever, k.arguments); !got.fine() {
						t.Errorf("afterwards: status %d: %s", got.status, lastLine(got.text))
					}
				}
				k.check(t, fmt.Sprintf("%d at once", len(ends)), want)
			}
		})
	}
}
