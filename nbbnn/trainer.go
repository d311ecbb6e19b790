package nbbnn

import (
	"fmt"
	"strings"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/stream"
	"github.com/nbbnn/workbench/nbbnn/progress"
)

// trainer holds what training needs in memory: the network, its compiled graphs and the training set on the device.
type trainer struct {
	run       *Run
	data      *dataset.Dataset
	network   *network
	pixels    *tensors.Tensor // uint8 [count, height, width, 3]
	labels    *tensors.Tensor // uint8 [count]
	training  *program        // one step
	many      *program        // atOnce steps
	atOnce    int             // steps of one call; at most 1 where it's always one
	posterior *model.Exec
	steps     int // of an epoch; the last partial batch is dropped
	options   TrainOptions
	state     trainingState
	saved     int     // epoch of the checkpoint
	entropy   float64 // at the end of the last epoch, for the progress line

	curves      []progress.Curve // the terms of the objective of the epochs before curvesEpoch
	curvesEpoch int
	latest      Update // reported

	started   time.Time
	stepsHere int // in this process

	patience  time.Duration        // with a slow step after a cancellation
	slow      time.Duration        // from which a step, or a call of many, counts as slow
	lastStep  time.Duration        // of the last step in this process, 0 before the first
	kept      []safetensors.Tensor // the variables before the step at work, nil where it is fast
	abandoned bool                 // the step at work was given up
}

// trainingState is how far a training is; it's kept with the checkpoint. The sums are over the steps of the current epoch.
type trainingState struct {
	Epoch        int     `json:"epoch"` // complete epochs
	Step         int     `json:"step"`  // complete steps of the current epoch
	NLL          float64 `json:"nll"`
	Wrong        float64 `json:"wrong"`
	Seconds      float64 `json:"seconds"`       // of the current epoch
	TotalSeconds float64 `json:"total_seconds"` // of the complete epochs

	DataHash string   `json:"data_hash"`       // of the data set
	Engines  []string `json:"engines"`         // that had a part in the training, in order
	Noise    []Noise  `json:"noise,omitempty"` // where it was drawn, in order

	KeptSHA256 map[int]string `json:"kept_sha256,omitempty"` // of the checkpoints that stay, by epoch
}

// next is the state at the beginning of the next epoch.
func (s trainingState) next() trainingState {
	s.TotalSeconds += s.Seconds
	s.Epoch++
	s.Step, s.NLL, s.Wrong, s.Seconds = 0, 0, 0, 0
	return s
}

func newTrainer(run *Run, data *dataset.Dataset) (*trainer, error) {
	network, err := newNetwork(run.config, data)
	if err != nil {
		return nil, err
	}
	return newTrainerOf(network, run, data)
}

// newTrainerOf prepares the training of a network. Where the noise is drawn on the device, it takes many steps in a call.
func newTrainerOf(network *network, run *Run, data *dataset.Dataset) (t *trainer, err error) {
	if have := data.Train.Count(); have < run.config.Training.Batch {
		return nil, fmt.Errorf("nbbnn: %d training images make no batch of %d: choose a smaller batch or more images",
			have, run.config.Training.Batch)
	}
	t = &trainer{
		run:     run,
		data:    data,
		network: network,
		pixels:  imagesTensor(data.Train),
		labels:  tensors.FromFlatDataAndDimensions(data.Train.Labels, data.Train.Count()),
		steps:   data.Train.Count() / run.config.Training.Batch,
		started: time.Now(),

		patience: patience,
		slow:     slowStep,
	}
	if t.training, err = network.newProgram(network.trainingStep(t.images())); err != nil {
		return nil, err
	}
	if network.deviceNoise {
		t.slow = slowCall
		if err := t.takeAtOnce(stepsAtOnce(t.steps)); err != nil {
			return nil, err
		}
	}
	t.posterior, err = model.NewExec(network.engine.Backend, network.store, func(scope *model.Scope, g *Graph) (*Node, *Node) {
		terms := network.posteriorTerms(scope.Store(), g)
		return terms.CrossEntropy, terms.Entropy
	})
	return t, err
}

// images is the number of training images that an epoch uses, N of the objective.
func (t *trainer) images() int { return t.steps * t.run.config.Training.Batch }

// order is the sequence in which an epoch shows the images.
func (t *trainer) order(epoch int) []int32 {
	permutation := stream.New(t.run.config.Seed, stream.Order, uint64(epoch)).Perm(t.data.Train.Count())
	order := make([]int32, len(permutation))
	for i, image := range permutation {
		order[i] = int32(image)
	}
	return order
}

// step runs one training step and returns its loss and its number of wrong rows.
func (t *trainer) step(order []int32) (nll, wrong float64, err error) {
	outputs, err := t.training.call(t.arguments(order))
	if err != nil {
		return 0, 0, t.stepError(err, t.training.memory())
	}
	return scalar(outputs[0]), scalar(outputs[1]), nil
}

// arguments are those of the next training step.
func (t *trainer) arguments(order []int32) []any {
	training := t.run.config.Training
	counter := t.state.Epoch*t.steps + t.state.Step
	chosen, seen := order[t.state.Step*training.Batch:][:training.Batch], t.view(counter)
	args := append([]any{t.pixels, t.labels, chosen, seen.down, seen.across, seen.mirror}, t.rates()...)
	return append(args, t.network.trainingNoise(training.Batch*training.Samples, counter)...)
}

// view is how a step, counted over all epochs, sees its images.
func (t *trainer) view(counter int) view {
	training := t.run.config.Training
	if training.NoAugmentation {
		return plainView(training.Batch)
	}
	return drawView(stream.New(t.run.config.Seed, stream.Augmentation, uint64(counter)), training.Batch)
}

// rates are the scalars of the schedule in the current epoch: the rates of theta and phi, and beta.
func (t *trainer) rates() []any {
	training, epoch := t.run.config.Training, t.state.Epoch
	return []any{
		float32(training.LearningRate * LearningRateFactor(epoch, training.Epochs)),
		float32(training.PosteriorLearningRate),
		float32(Beta(epoch, training.BetaEpochs)),
	}
}

// stepError is the error of a step, or of a call of many, that the engine couldn't take. A device without memory has a cure of
// its own; the bytes are what the compiled graph needs there, or 0.
func (t *trainer) stepError(err error, bytes int64) error {
	training := t.run.config.Training
	if asked, is := engine.OutOfMemory(err); is {
		return memoryShortage{
			work:  fmt.Sprintf("a training step of %d images x %d samples", training.Batch, training.Samples),
			bytes: bytes, asked: asked, cure: "take a smaller batch or fewer samples",
		}
	}
	return engineError("training step", err)
}

// memory is what the steps of training need of the memory of their device, in bytes; 0 where nobody tells.
func (t *trainer) memory() int64 { return max(t.training.memory(), t.many.memory()) }

// terms returns the posterior's cross-entropy and entropy bound in nats.
func (t *trainer) terms() (crossEntropy, entropy float64, err error) {
	outputs, err := t.posterior.Call()
	if err != nil {
		return 0, 0, engineError("posterior's entropy", err)
	}
	t.entropy = scalar(outputs[1])
	return scalar(outputs[0]), t.entropy, nil
}

// writeTrainingCard ends a training.
func (r *Run) writeTrainingCard(t *trainer) error {
	variables, err := storeTensors(t.network.store)
	if err != nil {
		return err
	}
	card, err := r.newCard(t.data, strings.Join(t.state.Engines, ", then "), safetensors.SHA256(variables), t.state.TotalSeconds)
	if err != nil {
		return err
	}
	card.Noise, card.KeptSHA256 = joinNoise(t.state.Noise), t.state.KeptSHA256
	if t.network.engine.IsDevice() { // what the process has beside it says little
		card.PeakMemoryBytes = t.memory()
	}
	return r.writeCard(card)
}
