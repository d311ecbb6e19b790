package trial

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

// Training takes training steps on the random images of a workload, with the graph of a real
// training: on a device, one call takes many steps.
type Training struct {
	stepper *network.Stepper
	images  dataset.Images
}

// NewTraining prepares the network; the first step compiles its graph.
func NewTraining(w Workload) (*Training, error) {
	m, data, err := w.model()
	if err != nil {
		return nil, err
	}
	w = w.WithDefaults()
	return newTraining(m, data, w.Method.Training(w.Settings, data.Train.Count()).Rule)
}

// newTraining prepares the trial of a network with the images of one batch and an update rule. On a
// device a call takes as many steps as in a training with as many images as CIFAR has, each with the
// same batch. An epoch is one call.
func newTraining(m *network.Model, data *dataset.Dataset, rule network.Rule) (*Training, error) {
	const usualImages = 50_000
	batch, steps := m.Settings.Training.Batch, 1
	if m.Noise() == network.DeviceNoise {
		steps = m.Settings.Training.StepsPerCall(usualImages)
	}
	order := make([]int32, steps*batch)
	for i := range order {
		order[i] = int32(i % batch)
	}
	stepper, err := network.NewStepper(m, data.Train, network.StepperOptions{
		Rule: rule, Order: func(int) []int32 { return order }, StepsPerCall: steps,
	})
	return &Training{stepper, data.Train}, err
}

// StepsPerCall returns the number of steps of a call of Step: one, or more on a device.
func (t *Training) StepsPerCall() int { return t.stepper.StepsPerCall() }

// Step takes the next step, or the next StepsPerCall, each with draws of its own, and returns the
// mean of their losses: of the mean negative log-likelihoods in nats.
func (t *Training) Step() (nll float64, err error) {
	losses, err := t.stepper.Step(context.Background())
	if errors.As(err, &network.NotFiniteError{}) { // takes as long as any other step
		err = nil
	}
	return losses.NLL / float64(t.StepsPerCall()), err
}

// DeviceMemory returns the device memory that a call of Step needs, in bytes, by the plan of the
// engine's compiler; 0 before the first call or if unknown.
func (t *Training) DeviceMemory() int64 { return t.stepper.DeviceMemory() }

// Save writes everything that another program needs to take the same steps to a safetensors file:
// the images, the current variables and the draws of the next steps, named "draws/STEP/LAYER" and
// counted from 0.
func (t *Training) Save(path string, steps int) error {
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

// draws returns the layers' draws of a later step.
func (t *Training) draws(ahead int) (all []safetensors.Tensor, err error) {
	for layer, draw := range t.stepper.Model().TrainingNoise(t.stepper.Position().Epoch + ahead) {
		value, is := draw.(*tensors.Tensor)
		if !is {
			return nil, fmt.Errorf("trial: the draws of layer %d are %T, which can't be saved: use the engine go", layer, draw)
		}
		saved := safetensors.Tensor{Name: fmt.Sprintf("draws/%d/%d", ahead, layer), DType: "F32", Shape: value.Shape().Dimensions}
		if err := value.ConstBytes(func(bytes []byte) { saved.Data = slices.Clone(bytes) }); err != nil {
			return nil, err
		}
		all = append(all, saved)
	}
	return all, nil
}

// Prediction predicts the random images of a workload, with the graph of a real evaluation.
type Prediction struct {
	predictor *network.Predictor
	images    dataset.Images
}

// NewPrediction prepares the network; the first prediction compiles its graph.
func NewPrediction(w Workload) (*Prediction, error) {
	m, data, err := w.model()
	if err != nil {
		return nil, err
	}
	predictor, err := m.NewPredictor(data.Test.Count(), m.Settings.Training.Samples, 0)
	return &Prediction{predictor, data.Test}, err
}

// Predict predicts all images once.
func (t *Prediction) Predict(ctx context.Context) error {
	_, err := t.predictor.Predict(ctx, t.images)
	return err
}

// DeviceMemory returns the device memory that a prediction needs, as Training.DeviceMemory does.
func (t *Prediction) DeviceMemory() int64 { return t.predictor.DeviceMemory() }
