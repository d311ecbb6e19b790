package nbbnn

import (
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/progress"
)

// trainer is a training session of a run: a stepper, and what connects it with the run's directory, the progress and the
// cancellation of the call.
type trainer struct {
	run     *Run
	data    *dataset.Dataset
	stepper *network.Stepper
	options TrainOptions
	state   trainingState
	saved   int     // epoch of the checkpoint
	entropy float64 // at the end of the last epoch, for the progress line

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

// trainingState says how far a training is; it's kept with the checkpoint. The sums are over the steps of the current epoch.
type trainingState struct {
	Epoch        int     `json:"epoch"` // complete epochs
	Step         int     `json:"step"`  // complete steps of the current epoch
	NLL          float64 `json:"nll"`
	Wrong        float64 `json:"wrong"`
	Seconds      float64 `json:"seconds"`       // of the current epoch
	TotalSeconds float64 `json:"total_seconds"` // of the complete epochs

	DataHash string          `json:"data_hash"`       // of the data set
	Engines  []string        `json:"engines"`         // that took part in the training, in order
	Noise    []network.Noise `json:"noise,omitempty"` // where it was drawn, in order

	KeptSHA256 map[int]string `json:"kept_sha256,omitempty"` // of the kept checkpoints, by epoch
}

// next returns the state at the beginning of the next epoch.
func (s trainingState) next() trainingState {
	s.TotalSeconds += s.Seconds
	s.Epoch++
	s.Step, s.NLL, s.Wrong, s.Seconds = 0, 0, 0, 0
	return s
}

func (s trainingState) position() network.Position {
	return network.Position{Epoch: s.Epoch, Step: s.Step}
}

// newTrainer prepares the training of a run, which is at its first step.
func newTrainer(run *Run, data *dataset.Dataset) (*trainer, error) {
	model, err := network.NewModel(run.config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return nil, err
	}
	stepper, err := network.NewStepper(model, data.Train, network.StepperOptions{})
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

// writeTrainingCard ends a training.
func (r *Run) writeTrainingCard(t *trainer) error {
	variables, err := t.variables()
	if err != nil {
		return err
	}
	card, err := r.newCard(t.data, strings.Join(t.state.Engines, ", then "), safetensors.SHA256(variables), t.state.TotalSeconds)
	if err != nil {
		return err
	}
	card.Noise, card.KeptSHA256 = joinNoise(t.state.Noise), t.state.KeptSHA256
	if t.stepper.Model().Engine().IsDevice() { // the memory of the process says little there
		card.PeakMemoryBytes = t.stepper.DeviceMemory()
	}
	return r.writeCard(card)
}

// joinNoise names the sources of noise that took part in a training, in order.
func joinNoise(sources []network.Noise) network.Noise {
	words := make([]string, len(sources))
	for i, source := range sources {
		words[i] = string(source)
	}
	return network.Noise(strings.Join(words, ", then "))
}
