package nbbnn

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
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

// curves returns the terms of the objective that a run has recorded, by epoch. The state before
// training has no NLL.
func curves(history []Epoch) []progress.Curve {
	nll, crossEntropy, entropy := progress.Curve{Name: "NLL"}, progress.Curve{Name: "cross-entropy"}, progress.Curve{Name: "entropy"}
	for _, epoch := range history {
		if epoch.Epoch > 0 {
			nll.Values = append(nll.Values, epoch.NLL)
		}
		crossEntropy.Values = append(crossEntropy.Values, epoch.CrossEntropy)
		entropy.Values = append(entropy.Values, epoch.Entropy)
	}
	return []progress.Curve{nll, crossEntropy, entropy}
}

// recordedCurves returns the terms of the objective of the complete epochs. It reads the record
// once an epoch; one that can't be read draws no curves.
func (t *trainer) recordedCurves() []progress.Curve {
	if t.curves == nil || t.curvesEpoch != t.state.Epoch {
		history, _ := t.run.History()
		t.curves, t.curvesEpoch = curves(history), t.state.Epoch
	}
	return t.curves
}

// report reports how far the training is, after every step.
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

// record summarises the epoch that has just ended; Epoch 0 is the state before training.
func (t *trainer) record() (Epoch, error) {
	crossEntropy, entropy, err := t.terms()
	if err != nil {
		return Epoch{}, err
	}
	training, steps := t.run.config.Training, float64(max(1, t.state.Step))
	nll := t.state.NLL / steps
	thetaRate, phiRate, beta := t.stepper.Rates(t.state.Epoch)
	if t.run.config.Posthoc.isSet() {
		thetaRate = 0
	}
	return Epoch{
		Epoch:                 t.state.Epoch + 1,
		LogLikelihood:         -nll * float64(t.stepper.Steps()*training.Batch), // of the images that an epoch uses
		CrossEntropy:          crossEntropy,
		Entropy:               entropy,
		KL:                    crossEntropy - entropy,
		Beta:                  beta,
		Gamma:                 t.run.config.Objective.Gamma,
		LearningRate:          thetaRate,
		PosteriorLearningRate: phiRate,
		NLL:                   nll,
		Error:                 t.state.Wrong / (steps * float64(training.Batch*training.Samples)),
		Seconds:               t.state.Seconds,
	}, nil
}
