// Package trial takes steps of trainings and predictions on images in memory, to time them and to
// estimate what a training costs. Nothing is kept on disk. Its tests compare engines: XLA, or that of
// GOMLX_BACKEND, with pure Go.
package trial

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Workload is a network on random images of a size, so that no data set is needed.
type Workload struct {
	Settings network.Settings // of a run; Training.Batch images of a step with Training.Samples samples each
	Method   baseline.Method  // that trains the weights; the zero value is the node-BNN, or MAP in a network without latents
	Side     int              // of the square images, in pixels; 0 means that of the data sets of the paper: 64 for preactresnet18, else 32
	Classes  int              // 0 means 200 for preactresnet18, else 10
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
	w.Side, w.Classes = cmp.Or(w.Side, side), cmp.Or(w.Classes, classes)
	w.Settings.Training.Batch = cmp.Or(w.Settings.Training.Batch, images)
	w.Settings.Training.Epochs = 1 << 30
	w.Settings.Training.LearningRate = cmp.Or(w.Settings.Training.LearningRate, rate)
	w.Settings.Training.PosteriorLearningRate = cmp.Or(w.Settings.Training.PosteriorLearningRate, w.Settings.Training.LearningRate)
	w.Settings.Training.NoAugmentation, w.Settings.Training.NoAnnealing = w.Settings.Training.Augmentation == "", true
	w.Settings.Training.BetaEpochs = 0
	w.Method, w.Settings = w.Method.Apply(w.Settings, "")
	w.Settings.Dropout = cmp.Or(w.Settings.Dropout, w.Method.Dropout)
	w.Settings = w.Settings.WithDefaults()
	return w
}

// Validate returns an error that names the first value that is wrong, and the cure.
func (w Workload) Validate() error {
	w = w.WithDefaults()
	if w.Classes < 2 || w.Classes > maxClasses {
		return fmt.Errorf("trial: %d classes: give 2 to %d, or 0 for the default", w.Classes, maxClasses)
	}
	if w.Side < 1 || w.Side > maxSide {
		return fmt.Errorf("trial: images of %d pixels: give 1 to %d, or 0 for the default", w.Side, maxSide)
	}
	return cmp.Or(w.Settings.Validate(), w.Method.Validate(w.Settings, ""))
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
	return w.Settings.Network.Architecture(w.Classes).Parameters()
}

// TrainingOperations returns the floating-point operations of one training step in the layers with
// weights: two for every multiply-add, in the forward pass and in both gradients. The first layer's
// input has no gradient.
func (w Workload) TrainingOperations() float64 {
	w = w.WithDefaults()
	return float64(w.Rows()) * 2 * float64(w.Settings.Network.Architecture(w.Classes).TrainingMultiplyAdds(w.Side))
}

// PredictionOperations returns the floating-point operations of one prediction of all images in the
// layers with weights.
func (w Workload) PredictionOperations() float64 {
	w = w.WithDefaults()
	return float64(w.Rows()) * 2 * float64(w.Settings.Network.Architecture(w.Classes).MultiplyAdds(w.Side))
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
	images := dataset.Images{Height: w.Side, Width: w.Side, Pixels: make([]uint8, count*w.Side*w.Side*3), Labels: make([]uint8, count)}
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
