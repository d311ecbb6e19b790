package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"
)

// Exit statuses of a process that does a point, the same for every scheduler.
const (
	ExitDone    = 0
	ExitRetry   = 1  // failed; a repetition may succeed
	ExitNever   = 2  // no repetition succeeds
	ExitStopped = 75 // stopped and saved, or another process is at work: run it again
)

// Local does the points of a sweep on this machine, each in a process of its own.
type Local struct {
	Parallel int // processes at a time
	Retries  int // of a point that failed with ExitRetry

	// Command returns the process for a point. slot, 0 to Parallel-1, is its share of the machine.
	// A Stderr that can be closed is closed in the end.
	Command func(point, slot int) *exec.Cmd

	// Ended is called after each process with its exit status and duration. It may be nil.
	Ended func(point, status int, took time.Duration)

	// Patience is how long processes have to save after SIGTERM before they are killed.
	Patience time.Duration
}

// Result is how the points of a Local ended.
type Result struct {
	Done, Failed, Unfinished []int
}

// Run does the points. If the context ends it passes SIGTERM on and waits until all processes have
// saved. A point that another process works on is tried again at the end, once.
func (l Local) Run(ctx context.Context, points []int) (result Result, err error) {
	type ended struct {
		point, slot, status int
		took                time.Duration
		err                 error
	}
	queue, stops, failures := slices.Clone(points), map[int]int{}, map[int]int{}
	slots := make([]int, max(1, l.Parallel))
	for i := range slots {
		slots[i] = i
	}
	done := make(chan ended)
	for running := 0; running > 0 || len(queue) > 0 && ctx.Err() == nil; {
		for len(queue) > 0 && len(slots) > 0 && ctx.Err() == nil {
			point, slot := queue[0], slots[0]
			queue, slots = queue[1:], slots[1:]
			running++
			go func() {
				started := time.Now()
				status, err := l.do(ctx, l.Command(point, slot))
				done <- ended{point, slot, status, time.Since(started), err}
			}()
		}
		e := <-done
		running--
		slots = append(slots, e.slot)
		if e.err != nil {
			err = errors.Join(err, e.err)
			result.Failed = append(result.Failed, e.point)
			continue
		}
		if l.Ended != nil {
			l.Ended(e.point, e.status, e.took)
		}
		switch e.status {
		case ExitDone:
		case ExitStopped:
			stops[e.point]++
		default:
			failures[e.point]++
		}
		switch {
		case e.status == ExitDone:
			result.Done = append(result.Done, e.point)
		case e.status == ExitStopped && ctx.Err() == nil && stops[e.point] == 1:
			queue = append(queue, e.point)
		case e.status == ExitStopped, ctx.Err() != nil && e.status != ExitNever:
			result.Unfinished = append(result.Unfinished, e.point)
		case e.status != ExitNever && failures[e.point] <= l.Retries:
			queue = append(queue, e.point)
		default:
			result.Failed = append(result.Failed, e.point)
		}
	}
	result.Unfinished = append(result.Unfinished, queue...)
	slices.Sort(result.Done)
	slices.Sort(result.Failed)
	slices.Sort(result.Unfinished)
	return result, err
}

// do runs a process to its end and returns its exit status; -1 if a signal killed it.
func (l Local) do(ctx context.Context, command *exec.Cmd) (int, error) {
	if log, is := command.Stderr.(io.Closer); is {
		defer log.Close()
	}
	alone(command)
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("sweep: a process can't be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case <-ended:
		return command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
	}
	terminate(command.Process)
	select {
	case <-ended:
	case <-time.After(l.Patience):
		_ = command.Process.Kill() // it may have ended just now
		<-ended
	}
	return command.ProcessState.ExitCode(), nil
}
