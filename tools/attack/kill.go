package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// killed is a command that is killed again and again until it ends by itself.
type killed struct {
	victims            // what it needs, and what reads its results
	arguments []string // of the command
}

// rows returns the target that kills of the command are counted for.
func (k killed) rows() []string { return []string{k.name} }

// kills are the attacks by SIGKILL.
type kills struct {
	flips
	span time.Duration // in which kills fall: as long as the command takes undisturbed
}

// attack kills a command a number of times, over as many rounds as that takes.
func (k *kills) attack(ctx context.Context, target killed, tries int, done func() bool) error {
	want, err := k.undisturbed(ctx, target)
	if err != nil {
		return err
	}
	for count, round := 0, 0; count < tries && !done(); round++ {
		made, err := k.round(ctx, target, rand.New(rand.NewPCG(k.seed, uint64(round))), want)
		if err != nil {
			return err
		}
		count += made
	}
	return nil
}

// undisturbed returns the results of the command without a kill, and measures its time.
func (k *kills) undisturbed(ctx context.Context, target killed) ([]reading, error) {
	if err := k.copy(target.victims); err != nil {
		return nil, err
	}
	started := time.Now()
	if _, err := k.scene.program.succeed(ctx, k.place, target.arguments...); err != nil {
		return nil, err
	}
	k.span = time.Since(started)
	return target.read(ctx, k.scene.program, k.place)
}

// round kills the command until it ends by itself, then compares the results with those of an
// undisturbed one. It returns the number of kills.
func (k *kills) round(ctx context.Context, target killed, random *rand.Rand, want []reading) (count int, err error) {
	if err := k.copy(target.victims); err != nil {
		return 0, err
	}
	for {
		after := time.Duration(random.Float64() * float64(k.span))
		wasKilled, got, err := killAfter(ctx, k.scene.program, k.place, after, target.arguments)
		if err != nil {
			return count, err
		}
		if !wasKilled {
			verdict, message := k.verdict(ctx, target, got, want)
			k.count(target.name, count, verdict, message)
			return count, nil
		}
		count++
	}
}

// count counts the kills of a round, of which one has its verdict. A bad verdict counts without a
// kill, too.
func (k *kills) count(target string, kills int, verdict, message string) {
	if kills > 0 || verdict != harmless {
		k.tally.add("kills", target, verdict)
	}
	for range kills - 1 {
		k.tally.add("kills", target, harmless)
	}
	if verdict != harmless {
		fmt.Fprintf(k.report, "%-8s %s after %d kills: %s\n", verdict, target, kills, message)
	}
}

// completed is in the error of an import that is repeated after it was completed: killed just
// before its end, or done by another process.
const completed = "has weights already"

// verdict judges a round whose last command ended by itself.
func (k *kills) verdict(ctx context.Context, target killed, last answer, want []reading) (verdict, message string) {
	if last.Status != 0 && !strings.Contains(last.Err, completed) {
		return crashed, "the command can't be repeated: " + lastLine(last.Err)
	}
	readings, err := target.read(ctx, k.scene.program, k.place)
	if err != nil {
		return crashed, err.Error()
	}
	for i, got := range readings {
		if got.Status != 0 {
			return crashed, lastLine(got.Err)
		}
		if got.result != want[i].result {
			return silent, difference(got.result, want[i].result)
		}
	}
	if left := leftovers(k.place); len(left) > 0 {
		return leftover, strings.Join(left, " ")
	}
	return harmless, ""
}

// killAfter starts a command and kills it after a time, unless it has ended. A command that ended
// by a signal before that wasn't killed: it crashed.
func killAfter(ctx context.Context, p program, folder string, after time.Duration, arguments []string) (killed bool, got answer, err error) {
	var problems strings.Builder
	command := p.command(ctx, folder, arguments...)
	command.Stdout, command.Stderr = io.Discard, &problems
	if err := command.Start(); err != nil {
		return false, got, err
	}
	var fired atomic.Bool
	timer := time.AfterFunc(after, func() {
		fired.Store(true)
		_ = command.Process.Kill()
	})
	defer timer.Stop()
	_ = command.Wait() // its status is looked at
	status := command.ProcessState.ExitCode()
	return fired.Load() && status < 0 && ctx.Err() == nil, answer{Err: problems.String(), Status: status}, ctx.Err()
}

// allKilled returns the commands of a scene that are killed.
func allKilled(s *scene) []killed {
	first := s.finished[0]
	run := []string{filepath.Join(runsFolder, first)}
	const seed, epochs = 4, 6
	training := killed{victims{name: "train", parts: []string{weightsFile}}, trainFlags(seed, epochs)}
	training.readers = []reader{
		{arguments: trainFlags(seed, epochs)},
		{arguments: []string{"runs", "--sort", "run", "--json"}},
	}
	suite := []string{"--suite", "snow", "--samples", "2", "--images", "30"}
	evaluating := killed{victims{name: "evaluate", parts: run}, slices.Concat([]string{"evaluate", first, "--save", "saved", "--json"}, suite)}
	evaluating.readers = []reader{{arguments: evaluating.arguments, writes: []string{inRun(first, "cells.csv"), inRun(first, "bins.csv"), "saved/snow-3.npz"}}}
	making := killed{victims{name: "corrupt make", parts: []string{weightsFile}},
		[]string{"corrupt", "make", "--data", "shapes10", "--suite", "fog,snow", "--images", "200", "--seed", "3", "--out", "made"}}
	making.readers = []reader{{arguments: making.arguments, writes: []string{"made/fog.npy", "made/snow.npy", "made/labels.npy", "made/manifest.json"}}}
	importing := killed{victims{name: "import", parts: []string{weightsFile}},
		[]string{"import", weightsFile, "--runs", "imported"}}
	importing.readers = []reader{{arguments: []string{"export", first, "again.safetensors", "--runs", "imported"}, writes: []string{"again.safetensors"}}}
	return []killed{training, evaluating, making, importing}
}
