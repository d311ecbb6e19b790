package nbbnn

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Workload is what a benchmark computes: a network on random images of a size, so that no data set is needed.
type Workload struct {
	Config  Config // Network, Posterior, Objective and Seed as of a run; Training.Batch images with Training.Samples samples each
	Side    int    // of the square images, in pixels; 0 means that of the data sets of the paper: 64 for preactresnet18, else 32
	Classes int    // 0 means 200 for preactresnet18, else 10
}

// WithDefaults returns the workload with every zero that means a default replaced by it. The number of images is not the
// published batch but 32, which suits a processor; the learning rates are small, so that noise can be learned from for ever;
// and every step is like the others: no schedule, no augmentation.
func (w Workload) WithDefaults() Workload {
	const images, rate = 32, 0.001
	side, classes := 32, 10
	if w.Config.Network.Name == "preactresnet18" { // of Tiny ImageNet
		side, classes = 64, 200
	}
	w.Side, w.Classes = cmp.Or(w.Side, side), cmp.Or(w.Classes, classes)
	w.Config.Training.Batch = cmp.Or(w.Config.Training.Batch, images)
	w.Config.Training.Epochs = 1 << 30
	w.Config.Training.LearningRate = cmp.Or(w.Config.Training.LearningRate, rate)
	w.Config.Training.PosteriorLearningRate = cmp.Or(w.Config.Training.PosteriorLearningRate, w.Config.Training.LearningRate)
	w.Config.Training.NoAugmentation, w.Config.Training.NoAnnealing = true, true
	w.Config.Training.BetaEpochs = 0
	w.Config.Data = Data{Train: w.Config.Training.Batch}
	w.Config = w.Config.WithDefaults()
	return w
}

// Validate returns an error that names the first value with which nothing can be computed, and the cure.
func (w Workload) Validate() error {
	w = w.WithDefaults()
	if w.Classes < 2 || w.Classes > maxClasses {
		return fmt.Errorf("nbbnn: %d classes: give 2 to %d, or 0 for the default", w.Classes, maxClasses)
	}
	if w.Side < 1 || w.Side > maxSide {
		return fmt.Errorf("nbbnn: images of %d pixels: give 1 to %d, or 0 for the default", w.Side, maxSide)
	}
	return w.Config.Validate()
}

// Limits of a workload: labels are bytes, and an image has to fit into memory.
const (
	maxClasses = 256
	maxSide    = 1024
)

// Rows is the number of rows of a step: images times samples.
func (w Workload) Rows() int {
	w = w.WithDefaults()
	return w.Config.Training.Batch * w.Config.Training.Samples
}

// Parameters is the number of deterministic parameters.
func (w Workload) Parameters() int {
	w = w.WithDefaults()
	return w.Config.Network.Architecture(w.Classes).Parameters()
}

// TrainingOperations is the number of floating-point operations in the layers with weights of one training step: two for
// every multiply-add, forwards and for both gradients. The first layer's input has no gradient.
func (w Workload) TrainingOperations() float64 {
	w = w.WithDefaults()
	return float64(w.Rows()) * 2 * float64(w.Config.Network.Architecture(w.Classes).TrainingMultiplyAdds(w.Side))
}

// PredictionOperations is the number of floating-point operations in the layers with weights of one prediction of all images.
func (w Workload) PredictionOperations() float64 {
	w = w.WithDefaults()
	return float64(w.Rows()) * 2 * float64(w.Config.MultiplyAdds(w.Side, w.Classes))
}

// images draws the images and labels of the workload.
func (w Workload) images() dataset.Images {
	random := rand.New(rand.NewPCG(w.Config.Seed, 0))
	count := w.Config.Training.Batch
	images := dataset.Images{Height: w.Side, Width: w.Side, Pixels: make([]uint8, count*w.Side*w.Side*3), Labels: make([]uint8, count)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(random.Uint32())
	}
	for i := range images.Labels {
		images.Labels[i] = uint8(random.IntN(w.Classes))
	}
	return images
}

// model fills the workload and returns its network with a data set of its images.
func (w Workload) model() (*network.Model, *dataset.Dataset, error) {
	if err := w.Validate(); err != nil {
		return nil, nil, err
	}
	w = w.WithDefaults()
	data := w.data()
	m, err := network.NewModel(w.Config.Settings(), data, network.ModelOptions{})
	return m, data, err
}

// data is a data set of the images of the workload.
func (w Workload) data() *dataset.Dataset {
	images := w.images()
	return &dataset.Dataset{
		Name: "random", Classes: make([]string, w.Classes), Train: images, Test: images,
		Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.25, 0.25, 0.25},
	}
}
