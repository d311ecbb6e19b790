package paper

import (
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// implicitOperations counts, for every gradient of a search, the forward pass and the gradient of
// the image, once for each draw whose mean is the output.
func implicitOperations(config nbbnn.Config, settings implicit.Settings) float64 {
	searches := settings.Images * settings.Draws * len(settings.Lambda)
	gradients := settings.Steps
	if settings.Method == implicit.GaussNewton {
		gradients = min(gradients, usualSteps) + usualJacobians*dataSize(config).Classes
	}
	return 4 * estimate.MultiplyAdds(config) * float64(gradients*searches*max(1, settings.Expected))
}

// Average cost of a Gauss-Newton search, measured on All-CNN-C at a quarter of its width with the
// lambdas of Figure 5.
const (
	usualSteps     = 40
	usualJacobians = 5
)

// diskBytes estimates a run's size on disk: two checkpoints of the weights with their momentum and
// the copies that the method collects.
func diskBytes(config nbbnn.Config) float64 {
	const checkpoints, bytes = 2, 4
	values := float64(2 + methods.Copies(config.Method, config.Training.Epochs))
	return checkpoints * values * bytes * float64(estimate.Workload(config).Parameters())
}
