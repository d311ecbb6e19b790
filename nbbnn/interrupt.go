package nbbnn

import (
	"context"
	"errors"
	"time"

	"github.com/nbbnn/workbench/nbbnn/network"
)

const (
	// patience is how long a cancelled training waits for the step at work. A notebook kills a cell five seconds after
	// the interrupt, and what is left of them is for saving.
	patience = time.Second

	// slowStep is the duration from which a step counts as one that may outlast patience.
	slowStep = patience / 2

	// slowCall is the same for a call of many steps on a device. Shorter ones are waited for: a copy of the variables in front
	// of every call would cost more than that, because it crosses the bus.
	slowCall = 3 * time.Second
)

// errAbandoned says that the training was cancelled during a step that takes too long to wait for.
var errAbandoned = errors.New("abandoned")

// stepResult is what a step returns.
type stepResult struct {
	losses network.Losses
	err    error
}

// interruptible runs a step. It returns errAbandoned if the context is cancelled and the step is slow and doesn't end within
// patience. The state before the step can be saved then, so that this one call, a step or on a device a block of steps, is
// all that is lost. The step itself can't be stopped: it ends by itself, or with the process.
func (t *trainer) interruptible(ctx context.Context, step func(context.Context) (network.Losses, error)) (network.Losses, error) {
	if err := t.keep(); err != nil {
		return network.Losses{}, err
	}
	done, started := make(chan stepResult, 1), time.Now()
	go func() {
		losses, err := step(context.WithoutCancel(ctx))
		done <- stepResult{losses, err}
	}()
	select {
	case r := <-done:
		t.lastStep = time.Since(started)
		return r.losses, r.err
	case <-t.whenToLeave(ctx):
	}
	select {
	case r := <-done:
		return r.losses, r.err
	case <-time.After(t.worthWaiting(started)):
		t.abandoned = true
		return network.Losses{}, errAbandoned
	}
}

// worthWaiting is how long to wait for a step that began at the given time: not at all when, going by the one before, it
// won't end within patience.
func (t *trainer) worthWaiting(started time.Time) time.Duration {
	if t.lastStep-time.Since(started) > t.patience {
		return 0
	}
	return t.patience
}

// whenToLeave is the context's end, or never for a fast step, which is waited for because the state before it isn't kept.
func (t *trainer) whenToLeave(ctx context.Context) <-chan struct{} {
	if t.lastStep > 0 && t.kept == nil {
		return nil
	}
	return ctx.Done()
}

// keep copies the variables when the step before was slow. The first step of a process needs no copy: the state before it is
// on the disk, or is the one that a new training begins with.
func (t *trainer) keep() (err error) {
	t.kept = nil
	if t.lastStep >= t.slow {
		t.kept, err = t.variables()
	}
	return err
}

// variables returns those to be saved: of the stepper, or from before the step that was abandoned.
func (t *trainer) variables() ([]network.Tensor, error) {
	if t.abandoned {
		return t.kept, nil
	}
	state, err := t.stepper.State()
	return state.Variables, err
}
