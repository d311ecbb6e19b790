// Package trial takes steps of trainings and predictions on images in memory, to time them and to
// estimate a training's cost. Nothing is kept on disk. Its tests compare engines: XLA, or
// GOMLX_BACKEND's engine, with pure Go.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Workload is a network on random images of a size, so that no data set is needed.
type Workload struct {
	// of a run; Training.Batch images of a step with Training.Samples samples each
	Settings network.Settings
	// that trains the weights; the zero value is the node-BNN, or MAP in a network without latents
	Method baseline.Method
	// of the images, in pixels; 0 means the paper's height, 64 for preactresnet18, otherwise 32,
	// and as many columns as rows
	Height, Width int
	Classes       int // 0 means 200 for preactresnet18, otherwise 10
}

// WithDefaults returns the workload with every zero that means a default replaced by it. The number
// of images is not the published batch but 32, which suits a processor; the learning rates are
// small, so that training on random labels stays stable; and every step is like the others: no
// schedule, and no augmentation but one that takes notable time.
func (w Workload) WithDefaults() Workload {
	const images, rate = 32, 0.001
	side, classes := 32, 10
	if w.Settings.Network.Name == "preactresnet18" { // of Tiny ImageNet
		side, classes = 64, 200
	}
	w.Height, w.Classes = cmp.Or(w.Height, side), cmp.Or(w.Classes, classes)
	w.Width = cmp.Or(w.Width, w.Height)
	w.Settings.Training.Batch = cmp.Or(w.Settings.Training.Batch, images)
	w.Settings.Training.Epochs = 1 << 30
	w.Settings.Training.LearningRate = cmp.Or(w.Settings.Training.LearningRate, rate)
	w.Settings.Training.PosteriorLearningRate = cmp.Or(w.Settings.Training.PosteriorLearningRate,
		w.Settings.Training.LearningRate)
	w.Settings.Training.NoAugmentation, w.Settings.Training.NoAnnealing =
		w.Settings.Training.Augmentation == "", true
	w.Settings.Training.BetaEpochs = 0
	w.Method, w.Settings = methods.Apply(w.Method, w.Settings, "")
	w.Settings.Dropout = cmp.Or(w.Settings.Dropout, w.Method.Dropout)
	w.Settings = w.Settings.WithDefaults()
	return w
}

// Validate returns an error that names the first value that is wrong, and the cure.
func (w Workload) Validate() error {
	w = w.WithDefaults()
	if w.Classes < 2 || w.Classes > maxClasses {
		return fmt.Errorf("trial: %d classes: give 2 to %d, or 0 for the default", w.Classes,
			maxClasses)
	}
	if min(w.Height, w.Width) < 1 || max(w.Height, w.Width) > maxSide {
		return fmt.Errorf("trial: images of %dx%d pixels: give 1 to %d, or 0 for the default",
			w.Height, w.Width, maxSide)
	}
	return cmp.Or(w.Settings.Validate(), methods.Validate(w.Method, w.Settings, ""))
}

// Limits of a workload: labels are bytes, and an image has to fit into memory.
const (
	maxClasses = 256
	maxSide    = 1024
)

// Rows returns the number of rows of a step: images times samples.
func (w Workload) Rows() int {
	w = w.WithDefaults()
	return w.Settings.Training.Batch * w.Settings.Training.Samples
}

// Parameters returns the number of deterministic parameters.
func (w Workload) Parameters() int {
	w = w.WithDefaults()
	return w.Settings.Network.Architecture(w.Classes).Parameters
}

// TrainingOperations returns the floating-point operations of one training step in the layers with
// weights: two for every multiply-add, in the forward pass and in both gradients. The first layer's
// input has no gradient.
func (w Workload) TrainingOperations() float64 {
	w = w.WithDefaults()
	_, training := w.Settings.Network.Architecture(w.Classes).MultiplyAdds(w.Height, w.Width)
	return float64(w.Rows()) * 2 * float64(training)
}

// PredictionOperations returns the floating-point operations of one prediction of all images in the
// layers with weights.
func (w Workload) PredictionOperations() float64 {
	w = w.WithDefaults()
	forward, _ := w.Settings.Network.Architecture(w.Classes).MultiplyAdds(w.Height, w.Width)
	return float64(w.Rows()) * 2 * float64(forward)
}

// model returns the network of the workload and a data set of its images.
func (w Workload) model() (*network.Model, *dataset.Dataset, error) {
	if err := w.Validate(); err != nil {
		return nil, nil, err
	}
	w = w.WithDefaults()
	data := w.data()
	m, err := network.NewModel(w.Settings, data, network.ModelOptions{})
	return m, data, err
}

// data returns a data set of random images and labels, one batch.
func (w Workload) data() *dataset.Dataset {
	random := rand.New(rand.NewPCG(w.Settings.Seed, 0))
	count := w.Settings.Training.Batch
	images := dataset.Images{Height: w.Height, Width: w.Width,
		Pixels: make([]uint8, count*w.Height*w.Width*3), Labels: make([]uint8, count)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(random.Uint32())
	}
	for i := range images.Labels {
		images.Labels[i] = uint8(random.IntN(w.Classes))
	}
	return &dataset.Dataset{
		Name: "random", Classes: make([]string, w.Classes), Train: images, Test: images,
		Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.25, 0.25, 0.25},
	}
}

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
	return newTraining(m, data, methods.Training(w.Method, w.Settings, data.Train.Count()))
}

// newTraining prepares the trial of a network with the images of one batch, an update rule and a
// loss. On a device a call takes as many steps as in a training with as many images as CIFAR has,
// each with the same batch. An epoch is one call.
func newTraining(m *network.Model, data *dataset.Dataset,
	options network.StepperOptions) (*Training, error) {
	batch, steps := m.Settings.Training.Batch, 1
	if m.Noise == network.DeviceNoise {
		steps = engine.StepsPerCall(max(1, network.UsualImages/batch))
	}
	order := make([]int32, steps*batch)
	for i := range order {
		order[i] = int32(i % batch)
	}
	stepper, err := network.NewStepper(m, data.Train, network.StepperOptions{
		Rule: options.Rule, Loss: options.Loss, Order: func(int) []int32 {
			return order
		}, StepsPerCall: steps,
	})
	return &Training{stepper, data.Train}, err
}

// StepsPerCall returns the number of steps of a call of Step: one, or more on a device.
func (t *Training) StepsPerCall() int { return t.stepper.StepsPerCall }

// Step takes the next step, or the next StepsPerCall, each with new draws, and returns the mean of
// their losses: of the mean negative log-likelihoods in nats.
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
		safetensors.Tensor{Name: "images", DType: "U8", Shape: []int{images.Count(), images.Height,
			images.Width, 3}, Data: images.Pixels},
		safetensors.Tensor{Name: "labels", DType: "U8", Shape: []int{images.Count()},
			Data: images.Labels},
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
	for layer, draw := range t.stepper.Model.TrainingNoise(t.stepper.Position.Epoch + ahead) {
		value, is := draw.(*tensors.Tensor)
		if !is {
			return nil, fmt.Errorf("trial: the draws of layer %d are %T, which can't be saved: "+
				"use the engine go", layer, draw)
		}
		saved := safetensors.Tensor{Name: fmt.Sprintf("draws/%d/%d", ahead, layer), DType: "F32",
			Shape: value.Shape().Dimensions}
		if err := value.ConstBytes(func(bytes []byte) {
			saved.Data = slices.Clone(bytes)
		}); err != nil {
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
