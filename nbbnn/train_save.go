package nbbnn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// stop saves the state in the middle of an epoch. The state before the first step of a process is
// on the disk already; before the first step of all there's none.
func (t *trainer) stop() error {
	if t.state.Epoch == 0 && t.state.Step == 0 {
		return worded{fmt.Sprintf("nbbnn: run %s was stopped before its first step, so nothing "+
			"is saved; the same call or command starts again", t.run.directory), ErrStopped}
	}
	if !t.abandoned || t.kept != nil {
		if err := t.save(); err != nil {
			return err
		}
	}
	return fmt.Errorf("nbbnn: run %s in epoch %d of %d: %w", t.run.Directory(), t.state.Epoch+1,
		t.run.config.Training.Epochs, ErrStopped)
}

const (
	// patience is the time that a cancelled training waits for the current step. A notebook kills a
	// cell five seconds after the interrupt; the remaining time is for saving.
	patience = time.Second

	// slowStep is the duration from which a step may outlast patience.
	slowStep = patience / 2

	// slowCall is slowStep for a call of many steps on a device. A training waits for shorter ones:
	// copying the variables across the bus before every call would cost more than that.
	slowCall = 3 * time.Second
)

// errAbandoned means that the training was cancelled during a step that takes too long to wait for.
var errAbandoned = errors.New("abandoned")

type stepResult struct {
	losses network.Losses
	err    error
}

// interruptible runs a step. It returns errAbandoned if the context is cancelled and the step is
// slow and doesn't end within patience. The state before the step can then be saved, so only this
// call is lost: a step, or a block of steps on a device. The step itself can't be stopped: it ends
// by itself, or with the process.
func (t *trainer) interruptible(ctx context.Context, step func(context.Context) (network.Losses,
	error)) (network.Losses, error) {
	cancelled, err := t.keep(ctx)
	if err != nil {
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
	case <-cancelled:
	}
	select {
	case r := <-done:
		return r.losses, r.err
	case <-time.After(t.worthWaiting(started)):
		t.abandoned = true
		return network.Losses{}, errAbandoned
	}
}

// worthWaiting returns the time to wait for a step that began at the given time: 0 if, judging by
// the previous step, it won't end within patience.
func (t *trainer) worthWaiting(started time.Time) time.Duration {
	if t.lastStep-time.Since(started) > t.patience {
		return 0
	}
	return t.patience
}

// keep copies the variables if the step before was slow, and returns the end of the context, or
// never for a fast step: it must end, because the state before it isn't kept. The first step of a
// process needs no copy: the state before it is on the disk, or is the initial one.
func (t *trainer) keep(ctx context.Context) (cancelled <-chan struct{}, err error) {
	slow := slowStep
	if t.stepper.StepsPerCall > 1 {
		slow = slowCall
	}
	t.kept = nil
	switch {
	case t.lastStep >= slow:
		t.kept, err = t.variables()
	case t.lastStep > 0:
		return nil, nil
	}
	return ctx.Done(), err
}

// variables returns the variables to save: the stepper's, or the ones before an abandoned step.
func (t *trainer) variables() ([]network.Tensor, error) {
	if t.abandoned {
		return t.kept, nil
	}
	state, err := t.stepper.State()
	return state.Variables, err
}

// saveWhenDue saves after an epoch, or on a device after some and the last one. It writes the kept
// checkpoint before the latest one: if killed in between, the epoch is repeated and both are
// written.
func (t *trainer) saveWhenDue() error {
	epoch := t.state.Epoch
	keep := t.options.KeepEvery > 0 && epoch%t.options.KeepEvery == 0
	if !keep && epoch < t.run.config.Training.Epochs && epoch%deviceSaveEvery != 0 &&
		t.stepper.Model.Engine.IsDevice() {
		return nil
	}
	if keep {
		if err := t.keepEpoch(); err != nil {
			return err
		}
	}
	return t.save()
}

// deviceSaveEvery is the number of epochs between checkpoints on a device, where an epoch takes
// seconds and writing a checkpoint does too.
const deviceSaveEvery = 5

// keepEpoch writes a checkpoint that is kept, and notes its checksum for the card.
func (t *trainer) keepEpoch() error {
	variables, err := t.finiteVariables()
	if err != nil {
		return err
	}
	if t.state.KeptSHA256 == nil {
		t.state.KeptSHA256 = map[int]string{}
	}
	t.state.KeptSHA256[t.state.Epoch] = safetensors.SHA256(variables)
	return t.write(t.run.checkpoints().kept(t.state.Epoch), variables)
}

// save writes the latest checkpoint.
func (t *trainer) save() error {
	variables, err := t.finiteVariables()
	if err != nil {
		return err
	}
	t.saved = t.state.Epoch
	return t.write(t.run.checkpointPath(), variables)
}

// finiteVariables returns the variables to be saved, or an error if one is infinite or NaN.
func (t *trainer) finiteVariables() ([]network.Tensor, error) {
	variables, err := t.variables()
	if err != nil {
		return nil, err
	}
	if name := safetensors.NotFinite(variables...); name != "" {
		return nil, fmt.Errorf("nbbnn: %s isn't finite after epoch %d: the earlier checkpoint is "+
			"kept; %s",
			name, t.state.Epoch, t.run.config.rateAdvice())
	}
	if t.run.config.Posthoc.isFrozen() {
		err = t.run.config.Posthoc.checkWeights(variables)
	}
	return variables, err
}

// write writes weights, posterior, momentum and the position in the training.
func (t *trainer) write(path string, variables []network.Tensor) error {
	if passes := t.stepper.Passes(); passes > 0 && methods.IsOwn(t.run.config.Method) &&
		!t.state.IsLoop {
		t.state.Cost = &CardCost{t.run.config.Training.Epochs, passes}
	}
	state, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	metadata := t.run.checkpoints().sealed(string(state), variables)
	return writeFile(path, func(w io.Writer) error {
		return safetensors.Encode(w, variables, metadata)
	})
}

// writeOnce writes a complete run, unless it exists with the same weights.
func (t *trainer) writeOnce() (*Run, error) {
	there, err := isThere(t)
	if err == nil && !there {
		err = writeImport(t.run, t)
	}
	if err != nil {
		return nil, err
	}
	return t.run, nil
}

// writeCard ends a training.
func (t *trainer) writeCard() error {
	variables, err := t.variables()
	if err != nil {
		return err
	}
	card, err := newCard(t.run, t.data, strings.Join(t.state.Engines, ", then "),
		t.state.TotalSeconds)
	if err != nil {
		return err
	}
	if card.WeightsSHA256, err = exportedSHA256(card.Config, variables); err != nil {
		return err
	}
	card.StateSHA256, card.Cost = safetensors.SHA256(variables), t.state.Cost
	card.Noise, card.KeptSHA256, card.Parent = strings.Join(t.state.Noise,
		", then "), t.state.KeptSHA256,
		t.state.Parent
	card.Notes = append(append(card.Notes, t.notes...), importNotes(card)...)
	if t.sampler != nil {
		card.Sampling = t.sampler.sampling()
		card.Notes = append(card.Notes, card.Sampling.note())
	}
	if t.stepper.Model.Engine.IsDevice() { // the process's memory means little there
		card.PeakMemoryBytes = t.stepper.DeviceMemory()
	}
	return writeCard(t.run, card)
}
