package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// smallWork is a training with a test, in this process.
type smallWork struct {
	config     nbbnn.Config
	evaluation nbbnn.Evaluation
}

func newSmallWork() smallWork {
	return smallWork{
		nbbnn.Config{
			Network: nbbnn.Network{Width: 4}, Data: nbbnn.Data{Name: "shapes10", Train: 8, Test: 20},
			Training: nbbnn.Training{Epochs: 2, Batch: 8, Samples: 2}, Seed: 5,
		},
		nbbnn.Evaluation{Suite: "fog", Samples: 2, Images: 4},
	}
}

// do trains and tests the run in a folder of runs.
func (w smallWork) do(ctx context.Context, runs string) (result string, err error) {
	run, err := nbbnn.Open(runs, w.config)
	if err != nil {
		return "", err
	}
	if _, err := run.History(); err != nil {
		return "", err
	}
	if err := run.TrainWith(ctx, nbbnn.TrainOptions{KeepEvery: 1}); err != nil {
		return "", err
	}
	cells, err := run.Evaluate(ctx, w.evaluation, nil)
	if err != nil {
		return "", err
	}
	card, err := run.Card()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(cells)
	return card.WeightsSHA256 + string(data), err
}

// repeat does the work in a folder that was left by a fault, and judges what comes of it.
func (w smallWork) repeat(ctx context.Context, runs, want string) (verdict, message string) {
	result, err := w.do(ctx, runs)
	switch left := leftovers(runs); {
	case err != nil:
		return crashed, "can't be repeated: " + err.Error()
	case result != want:
		return silent, difference(result, want)
	case len(left) > 0:
		return leftover, strings.Join(left, " ")
	}
	return harmless, ""
}

// fault is a way in which a step of writing fails.
type fault struct {
	name  string
	err   error
	part  float64 // of the content that a failing write leaves
	first files.Operation
}

var faults = []fault{
	{"no space left", syscall.ENOSPC, 0, ""},
	{"no space left, short write", syscall.ENOSPC, 0.5, files.WriteContent},
	{"input/output error", syscall.EIO, 0, ""},
	{"input/output error, short write", syscall.EIO, 0.9, files.WriteContent},
}

// at lets the step with a number fail, counted among those that the fault concerns, until stop is
// called, which reports whether there was such a step.
func (f fault) at(number int) (stop func() (failed bool)) {
	count := 0
	end := files.Observe(func(step files.Step) error {
		if f.first != "" && step.Operation != f.first {
			return nil
		}
		count++
		if count-1 != number {
			return nil
		}
		if file, err := os.OpenFile(step.Path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, _ = file.Write(step.Content[:int(f.part*float64(len(step.Content)))])
			_ = file.Close()
		}
		return f.err
	})
	return func() bool { end(); return count > number }
}

// disk lets every step of writing fail once, in each way. Unless its time is over, it fails if
// there is a way that no step failed in.
func (a *assault) disk(ctx context.Context) error {
	work := newSmallWork()
	want, err := work.do(ctx, filepath.Join(a.place, "sound"))
	if err != nil {
		return err
	}
	for _, f := range faults {
		for number := 0; !a.over(); number += max(1, a.stride) {
			failed, err := a.failAt(ctx, f, number, work, want)
			if err != nil {
				return err
			}
			if !failed {
				break
			}
		}
		if !a.over() && !a.tally.has("disk", f.name) {
			return fmt.Errorf("attack disk: no step failed with %q: either nothing is written or the attack is broken", f.name)
		}
	}
	return nil
}

// failAt repeats the work in an empty folder, where the step with a number fails, then once more
// without the fault. It reports whether there was such a step.
func (a *assault) failAt(ctx context.Context, f fault, number int, work smallWork, want string) (failed bool, err error) {
	runs := filepath.Join(a.place, "failing")
	if err := os.RemoveAll(runs); err != nil {
		return false, err
	}
	stop := f.at(number)
	_, failure := work.do(ctx, runs)
	if !stop() {
		return false, failure
	}
	verdict, message := noticed, ""
	switch {
	case failure == nil:
		verdict = harmless
	case !errors.Is(failure, f.err) || !strings.Contains(failure.Error(), runs):
		verdict, message = unclear, failure.Error()
	}
	if now, text := work.repeat(ctx, runs, want); now != harmless {
		verdict, message = now, text
	}
	a.tally.add("disk", f.name, verdict)
	if message != "" {
		fmt.Fprintf(a.out, "%-8s %s at step %d: %s\n", verdict, f.name, number, message)
	}
	return true, nil
}
