package paper

import (
	"cmp"

	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// trainingOperations counts the operations of all training steps (METHOD.md section 6). The
// configuration is filled.
func trainingOperations(config nbbnn.Config) float64 {
	images := dataSize(config).Train - config.Data.Validation
	perImage := workload(config).TrainingOperations() / float64(config.Training.Batch)
	return passes(config) * perImage * float64(images*config.Training.Epochs)
}

// passes is how often a step of the method goes through the network and back.
func passes(config nbbnn.Config) float64 {
	switch config.Method.Name {
	case baseline.SAM, baseline.ASAM:
		return 2
	}
	return 1
}

// testOperations counts the forward passes of an evaluation with a number of cells.
func testOperations(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	images := cmp.Or(evaluation.Images, dataSize(config).Test)
	return 2 * multiplyAdds(config) * float64(evaluation.Samples*images*cells)
}

// implicitOperations counts, for every gradient of a search, the forward pass and the gradient of
// the image, once for each draw whose mean is the output.
func implicitOperations(config nbbnn.Config, settings implicit.Settings) float64 {
	searches := settings.Images * settings.Draws * len(settings.Lambda)
	gradients := settings.Steps
	if settings.Method == implicit.GaussNewton {
		gradients = min(gradients, usualSteps) + usualJacobians*dataSize(config).Classes
	}
	return 4 * multiplyAdds(config) * float64(gradients*searches*max(1, settings.Expected))
}

// What a search of Gauss and Newton takes on average, measured on All-CNN-C at a quarter of its
// width with the lambdas of Figure 5.
const (
	usualSteps     = 40
	usualJacobians = 5
)

// multiplyAdds counts those of one image of the configuration's data set.
func multiplyAdds(config nbbnn.Config) float64 {
	size := dataSize(config)
	return float64(config.MultiplyAdds(size.Side, size.Classes))
}

// diskBytes is about what a run keeps: two checkpoints of the weights with their momentum.
func diskBytes(config nbbnn.Config) float64 {
	const copies, values, bytes = 2, 2, 4
	return copies * values * bytes * float64(workload(config).Parameters())
}

// workload is one training step of a configuration.
func workload(config nbbnn.Config) trial.Workload {
	size := dataSize(config)
	return trial.Workload{Settings: config.Settings(), Side: size.Side, Classes: size.Classes}
}
