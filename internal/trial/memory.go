package trial

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// needs is a lower bound of a step's memory in bytes; an estimate is never below it.
type needs struct {
	fixed float64 // for any number of images: weights, their momentum, gradients and the weights after the step
	image float64 // for each image: the outputs of the layers of all its samples, which the gradients look at
}

// numberBytes is the size of a float32.
const numberBytes = 4

// leastMemory returns the lower bound of the memory of a step.
func leastMemory(settings network.Settings, data Data) needs {
	const copies = 4
	a := settings.Network.Architecture(data.Classes)
	return needs{
		fixed: copies * numberBytes * float64(a.Parameters()),
		image: numberBytes * float64(a.Outputs(data.Side)) * float64(settings.Training.Samples),
	}
}

// CheckTraining returns an error if the steps of a training on the processor need more memory than
// the process may have. It allocates nothing.
func CheckTraining(settings network.Settings, data Data) error {
	settings = settings.WithDefaults()
	least := leastMemory(settings, data)
	batch := settings.Training.Batch
	work := fmt.Sprintf("a training step of %s x %s with width %d",
		quantity.Count(batch, "image"), quantity.Count(settings.Training.Samples, "sample"), settings.Network.Width)
	cure := "choose a smaller batch or fewer samples"
	if least.image < least.fixed {
		cure = "choose a smaller width"
	}
	return checkMemory(work, least.fixed+float64(batch)*least.image+data.bytes(), cure)
}

// CheckPrediction returns an error if the predictions of a number of square images on the processor
// need more memory than the process may have: the weights, the largest output of a layer for all
// samples of a batch, and a log-probability for each class of each sample of each image.
func CheckPrediction(settings network.Settings, size dataset.Size, images, batch, samples int) error {
	settings = settings.WithDefaults()
	a := settings.Network.Architecture(size.Classes)
	weights := numberBytes * float64(a.Parameters())
	predictions := numberBytes * float64(samples) * (float64(images)*float64(size.Classes) + float64(batch)*float64(a.LargestOutput(size.Side)))
	work := fmt.Sprintf("the prediction of %s x %s with width %d", quantity.Count(images, "image"), quantity.Count(samples, "sample"), settings.Network.Width)
	cure := "choose fewer samples or images"
	if predictions < weights {
		cure = "train a smaller width"
	}
	return checkMemory(work, weights+predictions, cure)
}

// checkMemory compares the least need of some work with the memory of the process. A device has
// memory of its own, whose lack its engine reports.
func checkMemory(work string, least float64, cure string) error {
	opened, err := engine.Open()
	if err != nil || opened.IsDevice() {
		return err
	}
	if limit := machine.MemoryLimit(); limit > 0 && least > float64(limit) {
		return fmt.Errorf("nbbnn: %s needs at least %s of memory, and this process may have %s: %s",
			work, quantity.Bytes(int64(min(least, 1<<62))), quantity.Bytes(limit), cure)
	}
	return nil
}
