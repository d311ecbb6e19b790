package nbbnn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// TrainOptions select how a training reports and saves. They change nothing in its result.
type TrainOptions struct {
	Progress Progress // receives an update after every step; may be nil
	// epochs between checkpoints that are kept, as checkpoint/epoch-0030.safetensors; 0 keeps only
	// the latest
	KeepEvery int
}

// Progress receives an update after every step of a training and every cell of an evaluation. The
// working goroutine calls it, so it should return soon. nil ignores updates.
type Progress = progress.Func

// Update is the state of some work.
type Update = progress.Update

// Train is TrainWith that reports its progress.
func (r *Run) Train(ctx context.Context, progress Progress) error {
	return r.TrainWith(ctx, TrainOptions{Progress: progress})
}

// TrainWith trains the run to its last epoch. It starts where the checkpoint ends. Of a complete
// run it only checks the weights. A card that can't be read is Card's error; so are results without
// weights, which a training would replace. If the context is cancelled it saves the state in the
// middle of the epoch and returns an error that wraps ErrStopped. Every random number is counted,
// so an interrupted run ends with the same weights as one that wasn't interrupted. A loss that
// isn't finite ends the training with the last checkpoint in place, and the error names the first
// layer that isn't finite.
func (r *Run) TrainWith(ctx context.Context, options TrainOptions) error {
	if err := check.Range("number of epochs between kept checkpoints", options.KeepEvery,
		"[0,1e9]"); err != nil {
		return err
	}
	if _, trained, err := r.completeCard(); trained || err != nil {
		if trained {
			_, _, err = r.checkpoints().read(r.checkpointPath())
		}
		return err
	}
	if err := r.checkTrainable(); err != nil {
		return err
	}
	data, err := openParts(ctx, r.config.Data)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return stopped(err)
	}
	t, err := newTrainer(r, data.Dataset)
	if err == nil {
		t.options, err = options, t.adoptWeights(ctx)
	}
	if err != nil { // nothing is written yet
		return stopped(err)
	}
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, trained, err := r.completeCard(); trained || err != nil { // another process was faster
		return err
	}
	if err := t.begin(data); err != nil {
		return stopped(err)
	}
	return t.toEnd(ctx)
}

// checkTrainable refuses a training before the data are opened, which may take seconds: of results
// or weights that it would replace, while another process works on the run, and without its parent
// or the memory for it.
func (r *Run) checkTrainable() error {
	switch untrained := r.untrained(); {
	case untrained.Holder != "" || untrained.Recorded:
		return untrained
	case r.config.Imported != "":
		return fmt.Errorf("nbbnn: run %s holds weights that were imported, and its card or its "+
			"weights are missing: import the file again (Import, ImportOrdinary)", r.directory)
	}
	if r.config.Posthoc.isSet() && !exists(r.checkpointPath()) {
		if _, err := openParent(r); err != nil {
			return err
		}
	}
	return cmp.Or(r.config.undefined(), checkMemory(r.config))
}

// begin puts the trainer in the state of the checkpoint, and removes results of other weights.
func (t *trainer) begin(data *parts) error {
	if err := cmp.Or(writeNoise(t.run, data), t.resume()); err != nil {
		return err
	}
	if t.state.Epoch < t.run.config.Training.Epochs {
		return t.removeResults()
	}
	return nil
}

// toEnd trains the remaining epochs and writes the card.
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
	return t.writeCard()
}

// epoch trains to the end of the current epoch, records it and saves the checkpoint.
func (t *trainer) epoch(ctx context.Context) error {
	started := time.Now()
	steps, _ := t.steps()
	for t.state.Step < steps {
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
		if t.state.Step < steps {
			t.report()
		}
	}
	t.state.Seconds += time.Since(started).Seconds()
	ended, err := t.ended()
	if err != nil {
		return err
	}
	if err := t.record(ended); err != nil {
		return err
	}
	t.report()
	t.state = t.state.next()
	return t.saveWhenDue()
}

// trainStep takes the next step, or the next few in one call, and adds the losses to the epoch's
// sums.
func (t *trainer) trainStep(ctx context.Context) error {
	losses, err := t.interruptible(ctx, t.step)
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

// explainLoss returns the error of a call of the stepper whose loss isn't finite. It names the
// first place in the forward pass that isn't finite, which it finds by repeating the steps since
// the checkpoint one by one.
func (t *trainer) explainLoss(ctx context.Context, broken network.NotFiniteError) error {
	kept := "nothing was saved yet"
	if exists(t.run.checkpointPath()) {
		kept = fmt.Sprintf("the checkpoint of epoch %d is kept", t.saved)
	}
	place, at := "", broken.Position
	if found, position, err := t.findNotFinite(ctx, broken); err == nil && found != "" {
		place, at = ", first in "+found, position
	}
	return worded{fmt.Sprintf("nbbnn: the loss is %v at epoch %d, step %d%s: %s; %s",
		broken.Losses.NLL, at.Epoch+1, at.Step+1, place, kept, t.run.config.rateAdvice()), broken}
}

// findNotFinite repeats the training from the checkpoint, or from the beginning without one.
func (t *trainer) findNotFinite(ctx context.Context, broken network.NotFiniteError) (place string,
	at network.Position, err error) {
	if exists(t.run.checkpointPath()) {
		_, err = t.loadCheckpoint()
	} else {
		err = t.stepper.SetState(network.State{})
	}
	if err != nil {
		return "", at, err
	}
	return t.stepper.FindNotFinite(ctx, broken.Position, broken.Losses.Steps)
}

// rateAdvice suggests what to change after a broken training.
func (c Config) rateAdvice() string {
	if unusual := c.unusual(); unusual != "" {
		return "try" + strings.TrimSuffix(unusual, " or")
	}
	advice := fmt.Sprintf("try a lower learning rate (now %g)", c.Training.LearningRate)
	if c.Posterior.Mode == Deterministic {
		return advice
	}
	advice += fmt.Sprintf(" or one of the posterior (now %g; compressing the schedule raises it)",
		c.Training.PosteriorLearningRate)
	if c.Objective.Gamma > 0 {
		advice += fmt.Sprintf(" or a lower gamma (now %g)", c.Objective.Gamma)
	}
	return advice
}

// unusual lists the learning rate and the options of the method and the posterior, with "or" behind
// each, that are a hundred times above or below their defaults.
func (c Config) unusual() (list string) {
	c = c.WithDefaults()
	usual := Config{Network: c.Network, Data: c.Data, Method: Method{Name: c.Method.Name},
		Posterior: Posterior{Mode: c.Posterior.Mode}}.WithDefaults()
	for _, f := range allFields {
		value, want := f.In(&c), f.In(&usual)
		isMeant := f.Keys[0] == "method" || f.Keys[0] == "posterior" || f.Flag == "learning-rate"
		if isMeant && value.Kind() == reflect.Float64 &&
			math.Abs(math.Log10(value.Float()/want.Float())) > 2 {
			list += fmt.Sprintf(" another --%s (now %s) or", f.Flag, f.Text(c))
		}
	}
	return list
}
