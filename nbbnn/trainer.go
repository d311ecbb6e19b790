package nbbnn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/progress"
)

// trainer is a training session of a run: a stepper, and what connects it with the run's directory,
// the progress and the cancellation of the call.
type trainer struct {
	run     *Run
	data    *dataset.Dataset
	stepper *network.Stepper
	options TrainOptions
	state   trainingState
	saved   int      // epoch of the checkpoint
	entropy float64  // at the end of the last epoch, for the progress line
	notes   []string // of an import, for the card

	curves      []progress.Curve // the terms of the objective of the epochs before curvesEpoch
	curvesEpoch int
	latest      Update // reported

	started   time.Time
	stepsHere int // in this process

	patience  time.Duration    // with a slow step after a cancellation
	slow      time.Duration    // from which a step, or a call of many, counts as slow
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
	options := run.config.Method.Training(model.Settings, data.Train.Count())
	stepper, err := network.NewStepper(model, data.Train, options)
	if err != nil {
		return nil, err
	}
	t := &trainer{run: run, data: data, stepper: stepper, started: time.Now(), patience: patience, slow: slowStep}
	if stepper.StepsPerCall() > 1 {
		t.slow = slowCall
	}
	return t, nil
}

// images returns the number of training images that an epoch uses, N of the objective.
func (t *trainer) images() int { return t.stepper.Steps() * t.run.config.Training.Batch }

// terms returns the posterior's cross-entropy and entropy bound in nats.
func (t *trainer) terms() (crossEntropy, entropy float64, err error) {
	crossEntropy, t.entropy, err = t.stepper.PosteriorTerms()
	return crossEntropy, t.entropy, err
}

// adopt gives a posthoc run that begins the weights of its parent.
func (t *trainer) adopt(ctx context.Context) (err error) {
	if !exists(t.run.checkpointPath()) {
		t.state.Parent, err = adoptWeights(ctx, t)
	}
	return err
}

// resume loads the checkpoint and truncates the history to its epoch; without a checkpoint it
// records the state before training.
func (t *trainer) resume() error {
	model := t.stepper.Model()
	if !exists(t.run.checkpointPath()) {
		if err := t.run.history().truncate(-1); err != nil {
			return err
		}
		initial, err := t.record()
		if err != nil {
			return err
		}
		initial = Epoch{CrossEntropy: initial.CrossEntropy, Entropy: initial.Entropy, KL: initial.KL, Gamma: initial.Gamma}
		t.state = trainingState{DataHash: t.data.Hash, Engines: []string{model.Engine().Name}, Noise: []network.Noise{model.Noise()}, Parent: t.state.Parent}
		return t.run.history().add(initial)
	}
	state, err := t.loadCheckpoint()
	if err != nil {
		return err
	}
	if err := sameData(t.run.directory, state.DataHash, t.data); err != nil {
		return err
	}
	if state.Epoch < t.run.config.Training.Epochs { // else only the card is missing
		state.continueOn(model.Engine().Name, model.Noise())
	}
	t.state, t.saved = state, state.Epoch
	if err := t.run.history().truncate(recordedEpoch(t.run.config, state)); err != nil {
		return err
	}
	_, _, err = t.terms()
	return err
}

// continueOn adds the engine and the noise of a session to those before, if they differ.
func (s *trainingState) continueOn(engine string, noise network.Noise) {
	if len(s.Engines) == 0 || s.Engines[len(s.Engines)-1] != engine {
		s.Engines = append(s.Engines, engine)
	}
	if len(s.Noise) == 0 || s.Noise[len(s.Noise)-1] != noise {
		s.Noise = append(s.Noise, noise)
	}
}

// recordedEpoch returns the last epoch in the history of a run with a checkpoint. Fixed noise has
// recorded the state before training alone, and imported weights nothing.
func recordedEpoch(c Config, checkpoint trainingState) int {
	switch {
	case c.Posthoc.FixedNoise:
		return 0
	case len(checkpoint.Engines) == 1 && strings.HasPrefix(checkpoint.Engines[0], importedFrom):
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
	if err := t.stepper.SetState(network.State{Position: state.position(), Variables: variables}); err != nil {
		return state, files.otherNetwork(files.latest(), err)
	}
	return state, nil
}

// resultFiles are the files that hold what was measured with a run's weights.
var resultFiles = []string{"cells.csv", "bins.csv", "metrics.csv", "outside.csv"}

// removeResults removes what was measured with weights that the training is about to replace, and
// their card.
func (t *trainer) removeResults() error {
	for _, name := range append([]string{"card.json"}, resultFiles...) {
		if err := os.Remove(t.run.path(name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("nbbnn: %s is out of date and can't be removed: %w: make the directory writable", t.run.path(name), err)
		}
	}
	return nil
}

// saveWhenDue saves after the epochs that the options say, and after the last one. It writes the
// kept checkpoint before the latest one: if killed in between, the epoch is repeated and both are
// written.
func (t *trainer) saveWhenDue() error {
	epoch := t.state.Epoch
	keep := t.options.KeepEvery > 0 && epoch%t.options.KeepEvery == 0
	if !keep && epoch < t.run.config.Training.Epochs && epoch%t.saveEvery() != 0 {
		return nil
	}
	if keep {
		if err := t.keepEpoch(); err != nil {
			return err
		}
	}
	return t.save()
}

// saveEvery returns the number of epochs from one checkpoint to the next. On a device an epoch
// takes seconds and writing a checkpoint does too, so there are fewer unless the options say how
// many.
func (t *trainer) saveEvery() int {
	if t.options.SaveEvery == 0 && t.stepper.Model().Engine().IsDevice() {
		return deviceSaveEvery
	}
	return max(1, t.options.SaveEvery)
}

// deviceSaveEvery is the number of epochs between checkpoints on a device.
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
	if name := (network.State{Variables: variables}).NotFinite(); name != "" {
		return nil, fmt.Errorf("nbbnn: %s isn't finite after epoch %d: the earlier checkpoint is kept; %s",
			name, t.state.Epoch, t.run.config.rateAdvice(name))
	}
	return variables, t.run.config.Posthoc.checkWeights(variables)
}

// write writes weights, posterior, momentum and the position in the training.
func (t *trainer) write(path string, variables []network.Tensor) error {
	state, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	metadata := t.run.checkpoints().sealed(string(state), variables)
	return writeFile(path, func(w io.Writer) error {
		return safetensors.Encode(w, variables, metadata)
	})
}

// writeCard ends a training.
func (t *trainer) writeCard() error {
	variables, err := t.variables()
	if err != nil {
		return err
	}
	card, err := newCard(t.run, t.data, strings.Join(t.state.Engines, ", then "), t.state.TotalSeconds)
	if err != nil {
		return err
	}
	if card.WeightsSHA256, err = exportedSHA256(card.Config, variables); err != nil {
		return err
	}
	card.StateSHA256 = safetensors.SHA256(variables)
	card.Noise, card.KeptSHA256, card.Parent = network.Noise(strings.Join(names(t.state.Noise), ", then ")), t.state.KeptSHA256, t.state.Parent
	card.Notes = append(append(card.Notes, t.notes...), importNotes(card)...)
	if t.stepper.Model().Engine().IsDevice() { // the memory of the process says little there
		card.PeakMemoryBytes = t.stepper.DeviceMemory()
	}
	return writeCard(t.run, card)
}
