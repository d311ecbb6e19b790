package nbbnn

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// trainer is a training session of a run: a stepper, and what connects it with the run's directory,
// the progress and the cancellation of the call.
type trainer struct {
	run     *Run
	data    *dataset.Dataset
	stepper *network.Stepper
	sampler *sampler // takes the place of the steps; nil for a training
	options TrainOptions
	state   trainingState
	history []Epoch  // as recorded
	saved   int      // epoch of the checkpoint
	notes   []string // of an import, for the card

	started   time.Time
	stepsHere int // in this process

	patience  time.Duration    // with a slow step after a cancellation
	lastStep  time.Duration    // of the last step in this process, 0 before the first
	kept      []network.Tensor // the variables before the current step, nil if it is fast
	abandoned bool             // the current step was given up
}

// newTrainer prepares the training of a run, which is at its first step.
func newTrainer(run *Run, data *dataset.Dataset) (*trainer, error) {
	model, err := network.NewModel(run.config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return nil, err
	}
	sampler, err := newSampler(run.config, model, data.Train)
	if err != nil {
		return nil, err
	}
	options := methods.Training(run.config.Method, model.Settings, data.Train.Count())
	if sampler != nil {
		options = sampler.options()
	}
	stepper, err := network.NewStepper(model, data.Train, options)
	if err != nil {
		return nil, err
	}
	return &trainer{run: run, data: data, stepper: stepper, sampler: sampler, started: time.Now(),
		patience: patience}, nil
}

// steps returns the number of steps of an epoch, and rows how many rows of images each reports.
func (t *trainer) steps() (steps, rows int) {
	if t.sampler != nil {
		return 1, t.sampler.images
	}
	return t.stepper.Steps, t.run.config.Training.Batch * t.run.config.Training.Samples
}

// images returns the number of images that a step passes forward and backward, without counting
// samples of the latents.
func (t *trainer) images() int {
	if t.sampler != nil {
		return t.sampler.images * t.run.config.Posthoc.passes()
	}
	return t.run.config.Training.Batch
}

// step takes the next step.
func (t *trainer) step(ctx context.Context) (network.Losses, error) {
	if t.sampler != nil {
		return t.sampler.step()
	}
	return t.stepper.Step(ctx)
}

// resume loads the checkpoint and truncates the history to its epoch; without a checkpoint it
// records the state before training.
func (t *trainer) resume() error {
	model := t.stepper.Model
	if !exists(t.run.checkpointPath()) {
		if _, err := t.run.history().truncate(-1); err != nil {
			return err
		}
		initial, err := t.posterior()
		if err != nil {
			return err
		}
		t.state = trainingState{DataHash: t.data.Hash, Engines: []string{model.Engine.Name},
			Noise: []string{model.Noise}, Parent: t.state.Parent}
		return t.record(initial)
	}
	state, err := t.loadCheckpoint()
	if err != nil {
		return err
	}
	if err := sameData(t.run.directory, state.DataHash, t.data); err != nil {
		return err
	}
	if state.Epoch < t.run.config.Training.Epochs { // otherwise only the card is missing
		state.continueOn(model.Engine.Name, model.Noise)
	}
	t.state, t.saved = state, state.Epoch
	t.history, err = t.run.history().truncate(recordedEpoch(t.run.config, state))
	return err
}

// continueOn appends the engine and the noise of a session if they differ from the last.
func (s *trainingState) continueOn(engine, noise string) {
	if len(s.Engines) == 0 || s.Engines[len(s.Engines)-1] != engine {
		s.Engines = append(s.Engines, engine)
	}
	if len(s.Noise) == 0 || s.Noise[len(s.Noise)-1] != noise {
		s.Noise = append(s.Noise, noise)
	}
}

// recordedEpoch returns the last epoch in the history of a run with a checkpoint. Fixed noise
// records only the state before training, and imported weights and loops nothing.
func recordedEpoch(c Config, checkpoint trainingState) int {
	switch {
	case c.Posthoc.FixedNoise:
		return 0
	case checkpoint.IsLoop:
		return -1
	case len(checkpoint.Engines) == 1 &&
		strings.HasPrefix(checkpoint.Engines[0], engine.ImportedFrom):
		return -1
	}
	return checkpoint.Epoch
}

// loadCheckpoint continues the session's stepper from the run's checkpoint.
func (t *trainer) loadCheckpoint() (trainingState, error) {
	files := t.run.checkpoints()
	state, variables, err := files.readState(files.latest())
	if err != nil {
		return state, err
	}
	if err := t.stepper.SetState(network.State{Position: state.position(),
		Variables: variables}); err != nil {
		return state, files.otherNetwork(files.latest(), err)
	}
	return state, nil
}

// resultFiles are the files with measurements of a run's weights.
var resultFiles = []string{"cells.csv", "bins.csv", "metrics.csv"}

// removeResults removes the results of weights that the training is about to replace, and their
// card.
func (t *trainer) removeResults() error {
	for _, name := range append([]string{"card.json"}, resultFiles...) {
		if err := os.Remove(t.run.path(name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("nbbnn: %s is out of date and can't be removed: %w: make the "+
				"directory writable", t.run.path(name), err)
		}
	}
	return nil
}

// curves returns the terms of the objective that a run has recorded, by epoch. The state before
// training has no NLL.
func curves(history []Epoch) []progress.Curve {
	nll, crossEntropy, entropy := progress.Curve{Name: "NLL"},
		progress.Curve{Name: "cross-entropy"}, progress.Curve{Name: "entropy"}
	for _, epoch := range history {
		if epoch.Epoch > 0 {
			nll.Values = append(nll.Values, epoch.NLL)
		}
		crossEntropy.Values = append(crossEntropy.Values, epoch.CrossEntropy)
		entropy.Values = append(entropy.Values, epoch.Entropy)
	}
	return []progress.Curve{nll, crossEntropy, entropy}
}

// report reports the training's progress after every step.
func (t *trainer) report() {
	if t.options.Progress == nil {
		return
	}
	epochs, taken := t.run.config.Training.Epochs, float64(t.state.Step)
	steps, rows := t.steps()
	t.options.Progress(Update{
		Phase: "train",
		Run:   t.run.config.RunName(),
		Done:  t.state.Epoch*steps + t.state.Step,
		Total: epochs * steps,
		Rate:  float64(t.stepsHere*t.images()) / time.Since(t.started).Seconds(),

		Epoch:   t.state.Epoch + 1,
		Epochs:  epochs,
		Loss:    t.state.NLL / taken,
		Entropy: t.history[len(t.history)-1].Entropy,
		Error:   t.state.Wrong / (taken * float64(rows)),
		Curves:  curves(t.history),
	})
}

// record adds an epoch to the history.
func (t *trainer) record(epoch Epoch) error {
	t.history = append(t.history, epoch)
	return t.run.history().add(epoch)
}

// posterior returns a record of the posterior, which is known before training.
func (t *trainer) posterior() (Epoch, error) {
	if t.sampler != nil {
		return Epoch{Gamma: t.run.config.Objective.Gamma}, nil
	}
	crossEntropy, entropy, err := t.stepper.PosteriorTerms()
	_, _, _, gamma := t.stepper.Rates(t.state.Epoch)
	return Epoch{
		CrossEntropy: crossEntropy, Entropy: entropy, KL: crossEntropy - entropy, Gamma: gamma,
	}, err
}

// ended summarises the epoch that has just ended.
func (t *trainer) ended() (Epoch, error) {
	if t.sampler != nil {
		return t.sampler.epoch(t.state), nil
	}
	epoch, err := t.posterior()
	training, steps := t.run.config.Training, float64(t.state.Step)
	epoch.Epoch, epoch.Seconds = t.state.Epoch+1, t.state.Seconds
	epoch.NLL = t.state.NLL / steps
	// of the images that an epoch uses
	epoch.LogLikelihood = -epoch.NLL * float64(t.stepper.Steps*training.Batch)
	epoch.Error = t.state.Wrong / (steps * float64(training.Batch*training.Samples))
	epoch.LearningRate, epoch.PosteriorLearningRate, epoch.Beta, _ = t.stepper.Rates(t.state.Epoch)
	if t.run.config.Posthoc.isFrozen() {
		epoch.LearningRate = 0
	}
	return epoch, err
}
