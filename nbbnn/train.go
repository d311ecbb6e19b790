package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// TrainOptions say how a training reports and saves. They change nothing in its result.
type TrainOptions struct {
	Progress  Progress // receives an update after every step; may be nil
	SaveEvery int      // epochs between checkpoints; 0 means 1, or 5 on a device. The last epoch and a cancelled training are always saved
	KeepEvery int      // epochs between checkpoints that are kept, as checkpoint/epoch-0030.safetensors; 0 keeps only the latest
}

// Train is TrainWith that reports its progress.
func (r *Run) Train(ctx context.Context, progress Progress) error {
	return r.TrainWith(ctx, TrainOptions{Progress: progress})
}

// TrainWith trains the run to its last epoch. It starts where the checkpoint ends and does nothing
// if the run is complete. A card that is there and can't be read is an error, that of Card; so
// are results without weights, which a training would replace. If the context is cancelled it saves the state in the middle of the epoch and
// returns an error that wraps ErrStopped. Every random number is counted, so an interrupted run
// ends with the same weights as one that wasn't interrupted. A loss that isn't finite ends the
// training with the last checkpoint in place, and the error names the first layer that isn't
// finite.
func (r *Run) TrainWith(ctx context.Context, options TrainOptions) error {
	if err := check.First(
		check.NotNegative("number of epochs between checkpoints", float64(options.SaveEvery)),
		check.NotNegative("number of epochs between kept checkpoints", float64(options.KeepEvery)),
	); err != nil {
		return err
	}
	if _, trained, err := r.CompleteCard(); trained || err != nil {
		return err
	}
	if err := r.checkTrainable(); err != nil {
		return err
	}
	data, err := openParts(ctx, r.config.Data)
	if err = check.First(err, ctx.Err()); err != nil {
		return stopped(err)
	}
	t, err := newTrainer(r, data.Dataset)
	if err == nil {
		t.options, err = options, t.adopt(ctx)
	}
	if err != nil { // nothing is written yet
		return stopped(err)
	}
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, trained, err := r.CompleteCard(); trained || err != nil { // another process was faster
		return err
	}
	if err := t.begin(data); err != nil {
		return stopped(err)
	}
	return t.toEnd(ctx)
}

// checkTrainable refuses a training before the data are opened, which may take seconds: of results or
// weights that it would replace, while another process works on the run, and without its parent or the
// memory for it.
func (r *Run) checkTrainable() error {
	switch untrained := r.untrained(); {
	case untrained.Holder != "" || untrained.Recorded:
		return untrained
	case r.config.Imported != "":
		return fmt.Errorf("nbbnn: run %s holds weights that were imported, and its card or its weights are missing: import the file again (ImportOrdinary)", r.directory)
	}
	if r.config.Posthoc.isSet() && !exists(r.checkpointPath()) {
		if _, err := openParent(r); err != nil {
			return err
		}
	}
	return check.First(r.config.Network.Undefined(), checkMemory(r.config))
}

// begin puts the trainer in the state of the checkpoint, and removes results of other weights.
func (t *trainer) begin(data *parts) error {
	if err := check.First(writeNoise(t.run, data), t.resume()); err != nil {
		return err
	}
	if t.state.Epoch < t.run.config.Training.Epochs {
		return t.removeResults()
	}
	return nil
}

// toEnd trains the epochs that are left and writes the card.
func (t *trainer) toEnd(ctx context.Context) error {
	if t.run.config.Posthoc.FixedNoise {
		t.state.Epoch = t.run.config.Training.Epochs
		if err := t.save(); err != nil {
			return err
		}
	}
	for t.state.Epoch < t.run.config.Training.Epochs {
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	t.reportEnd()
	return t.writeCard()
}

// epoch trains to the end of the current epoch, records it and saves the checkpoint.
func (t *trainer) epoch(ctx context.Context) error {
	started := time.Now()
	for t.state.Step < t.stepper.Steps() {
		if ctx.Err() != nil {
			t.state.Seconds += time.Since(started).Seconds()
			return t.stop()
		}
		if err := t.trainStep(ctx); errors.Is(err, errAbandoned) {
			t.state.Seconds += time.Since(started).Seconds()
			return t.stop()
		} else if err != nil {
			return err
		}
		t.report()
	}
	t.state.Seconds += time.Since(started).Seconds()
	record, err := t.record()
	if err != nil {
		return err
	}
	if err := t.run.history().add(record); err != nil {
		return err
	}
	t.state = t.state.next()
	return t.saveWhenDue()
}

// trainStep takes the next step, or the next few in one call, and adds the losses to the epoch's
// sums.
func (t *trainer) trainStep(ctx context.Context) error {
	losses, err := t.interruptible(ctx, t.stepper.Step)
	var broken network.NotFiniteError
	if errors.As(err, &broken) {
		return t.explainLoss(ctx, broken)
	}
	if err != nil {
		return err
	}
	t.state.Step += losses.Steps
	t.stepsHere += losses.Steps
	t.state.NLL += losses.NLL
	t.state.Wrong += losses.Wrong
	return nil
}

// stop saves the state in the middle of an epoch. The state before the first step of a process is
// on the disk already; before the first step of all there's none.
func (t *trainer) stop() error {
	if t.state.Epoch == 0 && t.state.Step == 0 {
		return worded{fmt.Sprintf("nbbnn: run %s was stopped before its first step, so nothing is saved; the same call or command starts again", t.run.directory), ErrStopped}
	}
	if !t.abandoned || t.kept != nil {
		if err := t.save(); err != nil {
			return err
		}
	}
	return fmt.Errorf("nbbnn: run %s in epoch %d of %d: %w", t.run.Directory(), t.state.Epoch+1, t.run.config.Training.Epochs, ErrStopped)
}

const (
	// patience is how long a cancelled training waits for the step at work. A notebook kills a cell
	// five seconds after the interrupt, and what is left of them is for saving.
	patience = time.Second

	// slowStep is the duration from which a step counts as one that may outlast patience.
	slowStep = patience / 2

	// slowCall is the same for a call of many steps on a device. Shorter ones are waited for: a
	// copy of the variables in front of every call would cost more than that, because it crosses
	// the bus.
	slowCall = 3 * time.Second
)

// errAbandoned says that the training was cancelled during a step that takes too long to wait for.
var errAbandoned = errors.New("abandoned")

// stepResult holds the results of a step.
type stepResult struct {
	losses network.Losses
	err    error
}

// interruptible runs a step. It returns errAbandoned if the context is cancelled and the step is
// slow and doesn't end within patience. The state before the step can be saved then, so that this
// one call, a step or on a device a block of steps, is all that is lost. The step itself can't be
// stopped: it ends by itself, or with the process.
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

// worthWaiting returns how long to wait for a step that began at the given time: not at all if it
// won't end within patience, judging by the step before.
func (t *trainer) worthWaiting(started time.Time) time.Duration {
	if t.lastStep-time.Since(started) > t.patience {
		return 0
	}
	return t.patience
}

// whenToLeave returns the context's end, or never for a fast step: it must end, because the state
// before it isn't kept.
func (t *trainer) whenToLeave(ctx context.Context) <-chan struct{} {
	if t.lastStep > 0 && t.kept == nil {
		return nil
	}
	return ctx.Done()
}

// keep copies the variables if the step before was slow. The first step of a process needs no copy:
// the state before it is on the disk, or is the initial one.
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
