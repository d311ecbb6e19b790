package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// TrainingTrial takes training steps on the random images of a workload, with the graph that Run.Train compiles: on a device
// many steps are one call, as they are there in a training. It keeps nothing on disk.
type TrainingTrial struct {
	stepper *network.Stepper
	images  dataset.Images
}

// NewTrainingTrial prepares the network; its graph is compiled by the first step.
func NewTrainingTrial(w Workload) (*TrainingTrial, error) {
	m, data, err := w.model()
	if err != nil {
		return nil, err
	}
	return newTrainingTrialOf(m, data)
}

// newTrainingTrialOf prepares the trial of a network with the images of one batch. On a device a call takes as many steps as
// in a training with as many images as CIFAR has, each with the same batch. An epoch is one call.
func newTrainingTrialOf(m *network.Model, data *dataset.Dataset) (*TrainingTrial, error) {
	const usualImages = 50_000
	batch, steps := m.Settings.Training.Batch, 1
	if m.Noise() == network.DeviceNoise {
		steps = network.StepsPerCall(max(1, usualImages/batch))
	}
	order := make([]int32, steps*batch)
	for i := range order {
		order[i] = int32(i % batch)
	}
	stepper, err := network.NewStepper(m, data.Train, network.StepperOptions{
		Order: func(int) []int32 { return order }, StepsPerCall: steps,
	})
	return &TrainingTrial{stepper, data.Train}, err
}

// StepsAtOnce is how many steps a call of Step takes: one, but more on a device.
func (t *TrainingTrial) StepsAtOnce() int { return t.stepper.StepsPerCall() }

// Step takes the next step, or the next StepsAtOnce, each with draws of its own, and returns the mean of their losses: of the
// mean negative log-likelihoods in nats.
func (t *TrainingTrial) Step() (nll float64, err error) {
	losses, err := t.stepper.Step(context.Background())
	if errors.As(err, &network.NotFiniteError{}) { // takes as long as any other step
		err = nil
	}
	return losses.NLL / float64(t.StepsAtOnce()), err
}

// DeviceMemory is what a call of Step needs of the memory of its device, in bytes, by the plan of the engine's compiler; 0
// before the first call and where the engine doesn't tell.
func (t *TrainingTrial) DeviceMemory() int64 { return t.stepper.DeviceMemory() }

// Engine names the engine that computes.
func (t *TrainingTrial) Engine() string { return t.stepper.Model().Engine().Name }

// Save writes to a safetensors file what somebody else needs to take the same steps: the images, the variables as they are
// now and the draws of the next steps, named "draws/STEP/LAYER" with the steps and layers counted from 0.
func (t *TrainingTrial) Save(path string, steps int) error {
	state, err := t.stepper.State()
	if err != nil {
		return err
	}
	images := t.images
	variables := append(state.Variables,
		safetensors.Tensor{Name: "images", DType: "U8", Shape: []int{images.Count(), images.Height, images.Width, 3}, Data: images.Pixels},
		safetensors.Tensor{Name: "labels", DType: "U8", Shape: []int{images.Count()}, Data: images.Labels},
	)
	for step := range steps {
		draws, err := t.draws(step)
		if err != nil {
			return err
		}
		variables = append(variables, draws...)
	}
	return safetensors.Write(path, variables, nil)
}

// draws are those of the layers for a step after the next.
func (t *TrainingTrial) draws(ahead int) (all []safetensors.Tensor, err error) {
	for layer, draw := range t.stepper.Model().TrainingNoise(t.stepper.Position().Epoch + ahead) {
		value, is := draw.(*tensors.Tensor)
		if !is {
			return nil, fmt.Errorf("nbbnn: the draws of layer %d are %T, which can't be saved: use the engine go", layer, draw)
		}
		saved := safetensors.Tensor{Name: fmt.Sprintf("draws/%d/%d", ahead, layer), DType: "F32", Shape: value.Shape().Dimensions}
		if err := value.ConstBytes(func(bytes []byte) { saved.Data = slices.Clone(bytes) }); err != nil {
			return nil, err
		}
		all = append(all, saved)
	}
	return all, nil
}

// PredictionTrial predicts the random images of a workload, with the graph that Run.Evaluate compiles.
type PredictionTrial struct {
	predictor *network.Predictor
	images    dataset.Images
}

// NewPredictionTrial prepares the network; its graph is compiled by the first prediction.
func NewPredictionTrial(w Workload) (*PredictionTrial, error) {
	m, data, err := w.model()
	if err != nil {
		return nil, err
	}
	predictor, err := m.NewPredictor(data.Test.Count(), m.Settings.Training.Samples, 0)
	return &PredictionTrial{predictor, data.Test}, err
}

// Predict predicts all images once.
func (t *PredictionTrial) Predict(ctx context.Context) error {
	_, err := t.predictor.Predict(ctx, t.images)
	return err
}

// DeviceMemory is what a prediction needs of the memory of its device, as TrainingTrial.DeviceMemory.
func (t *PredictionTrial) DeviceMemory() int64 { return t.predictor.DeviceMemory() }

// Engine names the engine that computes.
func (t *PredictionTrial) Engine() string { return t.predictor.Model.Engine().Name }
