package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/progress"
)

// TrainOptions say how a training reports and saves. They change nothing in its result.
type TrainOptions struct {
	Progress  Progress // is told of every step; nil means nobody is
	SaveEvery int      // epochs from one checkpoint to the next; 0 means 1, or 5 on a device; the last epoch always has one, and so has a cancelled training
	KeepEvery int      // epochs from one checkpoint to the next that stays, as checkpoint/epoch-0030.safetensors; 0 means none stays but the latest
}

// Train is TrainWith that reports its progress.
func (r *Run) Train(ctx context.Context, progress Progress) error {
	return r.TrainWith(ctx, TrainOptions{Progress: progress})
}

// TrainWith trains the run to its last epoch. It starts where the checkpoint ends and does nothing if the run
// is complete. If the context is cancelled it saves the state in the middle of the epoch and returns an error
// that wraps ErrStopped. Every random number is counted, so an interrupted run ends with the same weights as
// one that wasn't interrupted. A loss that isn't finite ends the training with the last checkpoint in place, and the error names the first layer that
// isn't finite.
func (r *Run) TrainWith(ctx context.Context, options TrainOptions) error {
	if err := check.First(
		check.NotNegative("number of epochs between checkpoints", float64(options.SaveEvery)),
		check.NotNegative("number of epochs between kept checkpoints", float64(options.KeepEvery)),
	); err != nil {
		return err
	}
	if r.Complete() {
		return nil
	}
	if err := r.checkFree(); err != nil { // before the data, which may take seconds to open
		return err
	}
	data, err := openParts(ctx, r.config.Data)
	if err = check.First(err, ctx.Err()); err != nil {
		return stopped(err)
	}
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if r.Complete() { // another process was faster
		return nil
	}
	t, err := r.prepare(data, options)
	if err != nil {
		return err
	}
	for t.state.Epoch < r.config.Training.Epochs {
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	t.reportEnd()
	return r.writeTrainingCard(t)
}

// prepare returns a trainer in the state of the checkpoint.
func (r *Run) prepare(data *parts, options TrainOptions) (*trainer, error) {
	if err := r.writeNoise(data); err != nil {
		return nil, err
	}
	t, err := newTrainer(r, data.Dataset)
	if err != nil {
		return nil, err
	}
	t.options = options
	if err := t.resume(); err != nil {
		return nil, err
	}
	if t.state.Epoch < r.config.Training.Epochs {
		return t, r.removeResults() // of weights that are no longer there
	}
	return t, nil
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
	if err := t.run.appendEpoch(record); err != nil {
		return err
	}
	t.state = t.state.next()
	return t.saveWhenDue()
}

// trainStep takes the next step, or the next few in one call, and adds the losses to the epoch's sums.
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

// stop saves the state in the middle of an epoch. The state before the first step of a process is on the disk already, and that
// before the first step of all is none.
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

// record summarises the epoch that has just ended; Epoch 0 is the state before training.
func (t *trainer) record() (Epoch, error) {
	crossEntropy, entropy, err := t.terms()
	if err != nil {
		return Epoch{}, err
	}
	training, steps := t.run.config.Training, float64(max(1, t.state.Step))
	nll, rates := t.state.NLL/steps, training.Rates(t.state.Epoch)
	return Epoch{
		Epoch:                 t.state.Epoch + 1,
		LogLikelihood:         -nll * float64(t.images()),
		CrossEntropy:          crossEntropy,
		Entropy:               entropy,
		KL:                    crossEntropy - entropy,
		Beta:                  rates.Beta,
		Gamma:                 t.run.config.Objective.Gamma,
		LearningRate:          rates.Theta,
		PosteriorLearningRate: rates.Phi,
		NLL:                   nll,
		Error:                 t.state.Wrong / (steps * float64(training.Batch*training.Samples)),
		Seconds:               t.state.Seconds,
	}, nil
}

// recordedCurves returns the terms of the objective of the complete epochs. It reads the record once an epoch; one that
// can't be read draws no curves.
func (t *trainer) recordedCurves() []progress.Curve {
	if t.curves == nil || t.curvesEpoch != t.state.Epoch {
		history, _ := t.run.History()
		t.curves, t.curvesEpoch = curves(history), t.state.Epoch
	}
	return t.curves
}

// report tells how far the training is, after every step.
func (t *trainer) report() {
	if t.options.Progress == nil {
		return
	}
	epochs, steps := t.run.config.Training.Epochs, float64(t.state.Step)
	rows := steps * float64(t.run.config.Training.Batch*t.run.config.Training.Samples)
	t.latest = Update{
		Phase: "train",
		Run:   t.run.config.RunName(),
		Done:  t.state.Epoch*t.stepper.Steps() + t.state.Step,
		Total: epochs * t.stepper.Steps(),
		Rate:  float64(t.stepsHere*t.run.config.Training.Batch) / time.Since(t.started).Seconds(),

		Epoch:   t.state.Epoch + 1,
		Epochs:  epochs,
		Loss:    t.state.NLL / steps,
		Entropy: t.entropy,
		Error:   t.state.Wrong / rows,
		Curves:  t.recordedCurves(),
	}
	t.options.Progress(t.latest)
}

// reportEnd repeats the latest update with the curves of all epochs.
func (t *trainer) reportEnd() {
	if t.latest.Total == 0 {
		return
	}
	t.latest.Curves, t.latest.Entropy = t.recordedCurves(), t.entropy
	t.options.Progress.Report(t.latest)
}
