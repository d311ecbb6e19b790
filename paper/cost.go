package paper

import (
	"cmp"
	"context"
	"time"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// trainingOperations counts the operations of all training steps (METHOD.md section 6). The
// configuration is filled.
func trainingOperations(config nbbnn.Config) float64 {
	images := dataSize(config).Train - config.Data.Validation
	perImage := workload(config).TrainingOperations() / float64(config.Training.Batch)
	return float64(methods.Passes(config.Method)) * perImage *
		float64(images*config.Training.Epochs)
}

// testOperations counts the forward passes of an evaluation with a number of cells, and the passes
// over the training images that each draw of weights needs first.
func testOperations(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	images := cmp.Or(evaluation.Images, dataSize(config).Test)
	if evaluation.Images == 0 && evaluation.Test != "" {
		images = dataset.Config{Name: evaluation.Test}.Size().Test
	}
	passes := images * cells
	if config.Method.Name == baseline.SWAG && // whose running statistics aren't known
		config.Network.Architecture(dataSize(config).Classes).HasNormalisation {
		passes += dataSize(config).Train - config.Data.Validation
	}
	return 2 * multiplyAdds(config) * float64(report.SamplesOf(config, evaluation.Samples)*passes)
}

// cellsOf counts the cells of a suite, the clean one among them.
func cellsOf(suite corrupt.Suite) int {
	return 1 + len(suite.Corruptions)*(score.LevelCount-1)
}

// TestDuration estimates how long a test of some cells takes, from the speed of the run's training.
// It returns 0 if another machine or engine trained the run.
func TestDuration(run *nbbnn.Run, evaluation nbbnn.Evaluation, cells int) time.Duration {
	card, err := run.Card()
	if err != nil || card.WallSeconds <= 0 || card.Hardware != machine.Describe().String() {
		return 0
	}
	if opened, err := engine.Open(); err != nil || opened.Name != card.Engine {
		return 0
	}
	if evaluation.Images == 0 && evaluation.Test == "" {
		evaluation.Images = card.Data.Test
	}
	trained := speed{Operations: trainingOperations(run.Config()) / card.WallSeconds}
	return trained.duration(testOperations(run.Config(), evaluation, cells))
}

// SweepDuration is about how long this machine takes to train configurations and to test each with
// evaluations. It takes trial steps of each network.
func SweepDuration(ctx context.Context, configs []nbbnn.Config,
	evaluations ...nbbnn.Evaluation) (time.Duration, error) {
	known, seconds := speeds{}, 0.0
	for _, config := range configs {
		config = config.WithDefaults()
		speed, err := known.of(ctx, config)
		if err != nil {
			return 0, err
		}
		operations := trainingOperations(config)
		for _, e := range evaluations {
			cells := 1
			if e.Part == nbbnn.TestPart {
				suite, err := corrupt.SuiteByName(e.Suite)
				if err != nil {
					return 0, err
				}
				cells = cellsOf(suite)
			}
			operations += testOperations(config, e, cells)
		}
		seconds += speed.seconds(operations)
	}
	return quantity.Duration(seconds), nil
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

// Average cost of a Gauss-Newton search, measured on All-CNN-C at a quarter of its width with the
// lambdas of Figure 5.
const (
	usualSteps     = 40
	usualJacobians = 5
)

// multiplyAdds counts one image's, of the configuration's data set.
func multiplyAdds(config nbbnn.Config) float64 {
	size := dataSize(config)
	network := config.WithDefaults().Network.Architecture(size.Classes)
	forward, _ := network.MultiplyAdds(size.Height, size.Width)
	return float64(forward)
}

// diskBytes estimates a run's size on disk: two checkpoints of the weights with their momentum and
// the copies that the method collects.
func diskBytes(config nbbnn.Config) float64 {
	const checkpoints, bytes = 2, 4
	values := float64(2 + methods.Copies(config.Method, config.Training.Epochs))
	return checkpoints * values * bytes * float64(workload(config).Parameters())
}

func workload(config nbbnn.Config) trial.Workload {
	size := dataSize(config)
	return trial.Workload{Settings: config.Settings(), Height: size.Height, Width: size.Width,
		Classes: size.Classes}
}

// speed is this machine's speed of training, from trial steps of one network.
type speed struct {
	Operations float64 // floating-point operations a second
	Memory     float64 // that the network takes to train, in bytes; 0 if unknown
}

// seconds is about how long operations take; 0 if the speed is unknown.
func (s speed) seconds(operations float64) float64 {
	if !(s.Operations > 0) { // also of no steps
		return 0
	}
	return operations / s.Operations
}

// duration is about how long operations take; 0 if the speed is unknown.
func (s speed) duration(operations float64) time.Duration {
	return quantity.Duration(s.seconds(operations))
}

// tried nearly decides how fast a machine trains.
type tried struct {
	network nbbnn.Network
	pixels  int
	images  int // with batch and samples, it decides the memory
	batch   int
	samples int
}

// speeds holds earlier measurements.
type speeds map[tried]speed

// of returns the speed of a network, which it measures in about a second unless it is known.
func (s speeds) of(ctx context.Context, config nbbnn.Config) (speed, error) {
	size := dataSize(config)
	key := tried{config.Network, size.Height * size.Width, size.Train, config.Training.Batch,
		config.Training.Samples}
	if known, found := s[key]; found {
		return known, nil
	}
	cost, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return speed{}, err
	}
	measured := speed{trainingOperations(config) / cost.TotalSeconds, cost.Memory}
	if measured.Operations > 0 { // a training of no epochs measures nothing
		s[key] = measured
	}
	return measured, nil
}
