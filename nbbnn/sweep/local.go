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
	ExitNever   = 65 // no repetition succeeds: EX_DATAERR, since Go ends with 2 after a crash, such as one for lack of memory
	ExitStopped = 75 // stopped and saved, or another process is at work: run it again
)

// Local does the points of a sweep on this machine, each in a process of its own.
type Local struct {
	Parallel int // processes at a time
	Retries  int // of a point that failed with ExitRetry

	// Command returns the process for a point. slot, 0 to Parallel-1, is its share of the machine.
	// Its standard input must be free: it becomes a pipe that ends when the process has to stop,
	// also because this process was killed. A Stderr that can be closed is closed in the end.
	Command func(point, slot int) *exec.Cmd

	// Ended is called after each process with its exit status and duration. It may be nil.
	Ended func(point, status int, took time.Duration)

	// Patience is how long processes have to save after they were asked to stop. Then they are
	// killed.
	Patience time.Duration
}

// Result is how the points of a Local ended.
type Result struct {
	Done, Failed, Unfinished []int
}

// Run does the points 0 to count-1. If the context ends it asks all processes to stop (SIGTERM on Unix, and the
// end of their standard input) and waits until they have saved. A point that another process works
// on is tried again at the end, once.
func (l Local) Run(ctx context.Context, count int) (Result, error) {
	w := &localWork{Local: l, ended: make(chan attempt), stops: map[int]int{}, failures: map[int]int{}}
	for point := range count {
		w.queue = append(w.queue, point)
	}
	for slot := range max(1, l.Parallel) {
		w.slots = append(w.slots, slot)
	}
	for w.start(ctx); w.running > 0; w.start(ctx) {
		w.take(<-w.ended, ctx.Err() != nil)
	}
	w.result.Unfinished = append(w.result.Unfinished, w.queue...)
	for _, list := range [][]int{w.result.Done, w.result.Failed, w.result.Unfinished} {
		slices.Sort(list)
	}
	return w.result, w.err
}

// localWork is the state of Local.Run.
type localWork struct {
	Local
	queue           []int // points to do
	slots           []int // that are free
	running         int   // processes
	ended           chan attempt
	stops, failures map[int]int // of each point
	result          Result
	err             error // of processes that couldn't be started
}

// attempt is a process of a point that has ended.
type attempt struct {
	point, slot, status int
	took                time.Duration
	err                 error // it couldn't be started
}

// start starts processes while there are points and slots for them, until the context ends.
func (w *localWork) start(ctx context.Context) {
	for len(w.queue) > 0 && len(w.slots) > 0 && ctx.Err() == nil {
		a := attempt{point: w.queue[0], slot: w.slots[0]}
		w.queue, w.slots = w.queue[1:], w.slots[1:]
		w.running++
		go func() {
			started := time.Now()
			a.status, a.err = w.do(ctx, w.Command(a.point, a.slot))
			a.took = time.Since(started)
			w.ended <- a
		}()
	}
}

// take records how a process ended, and puts its point back if a repetition may do it.
func (w *localWork) take(a attempt, isStopping bool) {
	w.running--
	w.slots = append(w.slots, a.slot)
	if a.err != nil {
		w.err = errors.Join(w.err, a.err)
		w.result.Failed = append(w.result.Failed, a.point)
		return
	}
	if w.Ended != nil {
		w.Ended(a.point, a.status, a.took)
	}
	into := &w.result.Failed
	switch a.status {
	case ExitDone:
		into = &w.result.Done
	case ExitStopped:
		into = &w.result.Unfinished
		if w.stops[a.point]++; w.stops[a.point] == 1 && !isStopping {
			into = &w.queue
		}
	case ExitNever:
	default:
		w.failures[a.point]++
		switch {
		case isStopping:
			into = &w.result.Unfinished
		case w.failures[a.point] <= w.Retries:
			into = &w.queue
		}
	}
	*into = append(*into, a.point)
}

// do runs a process to its end and returns its exit status; -1 if a signal killed it.
func (l Local) do(ctx context.Context, command *exec.Cmd) (int, error) {
	if log, is := command.Stderr.(io.Closer); is {
		defer log.Close()
	}
	separate(command)
	// The system closes the other end of this pipe however this process ends.
	input, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return 0, fmt.Errorf("sweep: a process can't be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case <-ended:
		return command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
	}
	_ = input.Close() // it may have ended just now
	terminate(command.Process)
	select {
	case <-ended:
	case <-time.After(l.Patience):
		_ = command.Process.Kill()
		<-ended
	}
	return command.ProcessState.ExitCode(), nil
}

// UntilEnd returns a context that ends with the given one, and when input does: the standard input
// of a process of Local.
func UntilEnd(ctx context.Context, input io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input)
		cancel()
	}()
	return ctx, cancel
}
