// Package estimate says how long this machine takes for trainings and tests of configurations.
package estimate

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
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Training counts the operations of all training steps (METHOD.md section 6). The
// configuration is filled.
func Training(config nbbnn.Config) float64 {
	images := config.Data.Images().Size().Train - config.Data.Validation
	perImage := Workload(config).TrainingOperations() / float64(config.Training.Batch)
	return float64(methods.Passes(config.Method)) * perImage *
		float64(images*config.Training.Epochs)
}

// Test counts the forward passes of an evaluation with a number of cells, and the passes
// over the training images that each draw of weights needs first.
func Test(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	size := config.Data.Images().Size()
	images := cmp.Or(evaluation.Images, size.Test)
	if evaluation.Images == 0 && evaluation.Test != "" {
		images = dataset.Config{Name: evaluation.Test}.Size().Test
	}
	passes := images * cells
	if config.Method.Name == baseline.SWAG && // whose running statistics aren't known
		config.Network.Architecture(size.Classes).HasNormalisation {
		passes += size.Train - config.Data.Validation
	}
	return 2 * MultiplyAdds(config) * float64(report.SamplesOf(config, evaluation.Samples)*passes)
}

// CellsOf counts the cells of a suite, the clean one among them.
func CellsOf(suite corrupt.Suite) int {
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
	trained := Speed{Operations: Training(run.Config()) / card.WallSeconds}
	return trained.Duration(Test(run.Config(), evaluation, cells))
}

// SweepDuration is about how long this machine takes to train configurations and to test each with
// evaluations. It takes trial steps of each network.
func SweepDuration(ctx context.Context, configs []nbbnn.Config,
	evaluations ...nbbnn.Evaluation) (time.Duration, error) {
	known, seconds := Speeds{}, 0.0
	for _, config := range configs {
		config = config.WithDefaults()
		speed, err := known.Of(ctx, config)
		if err != nil {
			return 0, err
		}
		operations := Training(config)
		for _, e := range evaluations {
			cells := 1
			if e.Part == nbbnn.TestPart {
				suite, err := corrupt.SuiteByName(e.Suite)
				if err != nil {
					return 0, err
				}
				cells = CellsOf(suite)
			}
			operations += Test(config, e, cells)
		}
		seconds += speed.Seconds(operations)
	}
	return quantity.Duration(seconds), nil
}

// MultiplyAdds counts one image's, of the configuration's data set.
func MultiplyAdds(config nbbnn.Config) float64 {
	size := config.Data.Images().Size()
	network := config.WithDefaults().Network.Architecture(size.Classes)
	forward, _ := network.MultiplyAdds(size.Height, size.Width)
	return float64(forward)
}

// Workload describes a training step of a configuration.
func Workload(config nbbnn.Config) trial.Workload {
	size := config.Data.Images().Size()
	return trial.Workload{Settings: config.Settings(), Height: size.Height, Width: size.Width,
		Classes: size.Classes}
}

// Speed is this machine's speed of training, from trial steps of one network.
type Speed struct {
	Operations float64 // floating-point operations a second
	Memory     float64 // that the network takes to train, in bytes; 0 if unknown
}

// Seconds is about how long operations take; 0 if the speed is unknown.
func (s Speed) Seconds(operations float64) float64 {
	if !(s.Operations > 0) { // also of no steps
		return 0
	}
	return operations / s.Operations
}

// Duration is about how long operations take; 0 if the speed is unknown.
func (s Speed) Duration(operations float64) time.Duration {
	return quantity.Duration(s.Seconds(operations))
}

// tried nearly decides how fast a machine trains.
type tried struct {
	network nbbnn.Network
	pixels  int
	images  int // with batch and samples, it decides the memory
	batch   int
	samples int
}

// Speeds holds earlier measurements.
type Speeds map[tried]Speed

// Of returns the speed of a network, which it measures in about a second unless it is known.
func (s Speeds) Of(ctx context.Context, config nbbnn.Config) (Speed, error) {
	size := config.Data.Images().Size()
	key := tried{config.Network, size.Height * size.Width, size.Train, config.Training.Batch,
		config.Training.Samples}
	if known, found := s[key]; found {
		return known, nil
	}
	cost, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return Speed{}, err
	}
	measured := Speed{Training(config) / cost.TotalSeconds, cost.Memory}
	if measured.Operations > 0 { // a training of no epochs measures nothing
		s[key] = measured
	}
	return measured, nil
}
