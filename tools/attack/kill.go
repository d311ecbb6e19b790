package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// killed is a command that is killed again and again until it ends by itself.
type killed struct {
	victims            // what it needs, and what reads its results
	arguments []string // of the command
}

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
			for i := range count {
				k.tally.add("kills", target.name, verdicts[0])
				if i == count-1 && verdict != harmless { // a round counts once
					last := k.tally.rows[len(k.tally.rows)-1]
					last.Verdicts[harmless]--
					last.Verdicts[verdict]++
				}
			}
			if verdict != harmless {
				fmt.Fprintf(k.report, "%-8s %s after %d kills: %s\n", verdict, target.name, count, message)
			}
			return count, nil
		}
		count++
	}
}

// completed is in the error of an import that is repeated after it was completed: killed just before
// its end, or done by another process.
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

// killAfter starts a command and kills it after a time, unless it has ended.
func killAfter(ctx context.Context, p program, folder string, after time.Duration, arguments []string) (killed bool, got answer, err error) {
	var problems strings.Builder
	command := p.command(ctx, folder, arguments...)
	command.Stdout, command.Stderr = io.Discard, &problems
	if err := command.Start(); err != nil {
		return false, got, err
	}
	timer := time.AfterFunc(after, func() { _ = command.Process.Kill() })
	defer timer.Stop()
	_ = command.Wait() // its status is looked at
	status := command.ProcessState.ExitCode()
	return status < 0 && ctx.Err() == nil, answer{Err: problems.String(), Status: status}, ctx.Err()
}

// allKilled returns the commands that are killed.
func (s *scene) allKilled() []killed {
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

// twice starts a command several times at once and compares the results.
type twice struct{ flips }

func (t *twice) attack(ctx context.Context, target killed, tries int, done func() bool) error {
	k := kills{flips: t.flips}
	want, err := k.undisturbed(ctx, target)
	if err != nil {
		return err
	}
	for try := 0; try < tries && !done(); try++ {
		if err := t.once(ctx, &k, target, rand.New(rand.NewPCG(t.seed, uint64(try))), want); err != nil {
			return err
		}
	}
	return nil
}

// once starts two to four processes within the time of one, of which each ends well or says that
// another is at work. Every second time one of them is killed.
func (t *twice) once(ctx context.Context, k *kills, target killed, random *rand.Rand, want []reading) error {
	if err := k.copy(target.victims); err != nil {
		return err
	}
	const forever = time.Hour
	processes := 2 + random.IntN(3)
	answers := make(chan answer, processes)
	for i := range processes {
		start, life := time.Duration(random.Float64()*float64(k.span)/2), forever
		if i == 0 && random.IntN(2) == 0 {
			life = time.Duration(random.Float64() * float64(k.span))
		}
		go func() {
			time.Sleep(start)
			_, got, err := killAfter(ctx, t.scene.program, k.place, life, target.arguments)
			if err != nil {
				got.Status = -1
			}
			answers <- got
		}()
	}
	verdict, message, complete := harmless, "", false
	for range processes {
		got := <-answers
		const stopped = 75
		complete = complete || got.Status == 0
		if got.Status > 0 && got.Status != stopped && !strings.Contains(got.Err, completed) {
			verdict, message = unclear, lastLine(got.Err)
		}
	}
	var last answer
	if !complete {
		var err error
		if last, err = t.scene.program.run(ctx, k.place, target.arguments...); err != nil {
			return err
		}
	}
	if now, text := k.verdict(ctx, target, last, want); now != harmless {
		verdict, message = now, text
	}
	t.tally.add("together", target.name, verdict)
	if verdict != harmless {
		fmt.Fprintf(t.report, "%-8s %d of %s at once: %s\n", verdict, processes, target.name, message)
	}
	return nil
}
