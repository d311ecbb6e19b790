package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// allCNNC returns the experiment of the figures on All-CNN-C and CIFAR-10 (METHOD.md section 4),
// the zero Setup for an unknown scale.
func allCNNC(scale Scale) Setup {
	setup := Setup{Methods: []Method{M(0.16), M(0.32)}}
	switch scale {
	case Smoke:
		setup.Config = smokeAllCNNC()
		setup.Seeds = FirstSeeds(2)
		setup.Evaluation = nbbnn.Evaluation{Suite: "first8", Samples: 8}
	case Desk:
		setup.Config = deskAllCNNC()
		setup.Seeds, setup.Further = FirstSeeds(3), []uint64{4, 5}
		setup.Evaluation = deskEvaluation()
		setup.KeepEvery = 1
	case Paper:
		setup.Config = nbbnn.PaperAllCNNC(0.32) // M replaces the standard deviation
		setup.Seeds = FirstSeeds(25)
		setup.Evaluation = nbbnn.Evaluation{Suite: "all19", Samples: 32}
	default:
		return Setup{}
	}
	return setup
}

// smokeAllCNNC has one sample an image, small batches and no augmentation: a narrow network then
// fits a few images soonest (METHOD.md 4.2).
func smokeAllCNNC() nbbnn.Config {
	return nbbnn.Config{
		Network: nbbnn.Network{Name: "allcnnc", Width: 16},
		Data:    nbbnn.Data{Name: dataset.Shapes10Bright, Train: 500, Test: 128},
		Training: nbbnn.Training{
			Epochs: 100, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.02, NoAugmentation: true,
		},
	}
}

// deskAllCNNC trains a quarter of the width on all images, augmented, with a third of the epochs of
// the paper and a third more steps. The narrow form starts from He-normal weights and has no ReLU
// on the logits (METHOD.md 4.2).
func deskAllCNNC() nbbnn.Config {
	config := nbbnn.Config{
		Network:  nbbnn.Network{Name: "allcnnc", Width: 24},
		Data:     nbbnn.Data{Name: dataset.CIFAR10},
		Training: nbbnn.Training{Epochs: 30, Batch: 32, Samples: 1, LearningRate: 0.02, BetaEpochs: 20},
	}
	config.Training.PosteriorLearningRate = compressed(config, nbbnn.PaperAllCNNC(0.32))
	return config
}

// deskEvaluation tests on all corruptions, 1,000 images a cell.
func deskEvaluation() nbbnn.Evaluation {
	return nbbnn.Evaluation{Suite: "all19", Images: 1000, Samples: 16}
}

// fixedSigma returns the method with noise that stays as it started: the control for everything
// that the posterior learns. The learning rate isn't 0, which means the default, but so small that
// no update changes a float32.
func fixedSigma(method Method) Method {
	return Method{Name: method.Name + " fixed σ", Change: func(config *nbbnn.Config) {
		method.Change(config)
		config.Training.PosteriorLearningRate = 1e-12
	}}
}

// smokeConfig returns the experiment of a preset with the narrow All-CNN-C on Shapes10 in place of
// its network and data, for 40 epochs: a larger network learns nothing in a few seconds.
func smokeConfig(published nbbnn.Config) nbbnn.Config {
	config := smokeAllCNNC()
	config.Posterior = nbbnn.Posterior{Components: published.Posterior.Components, Mode: published.Posterior.Mode, InitStd: 0.16}
	config.Training.Epochs = 40
	return config
}

// deskConfig returns a preset of the paper at a quarter of the width, with a tenth of the epochs
// and a quarter of the batch, which is about a third of the steps. The learning rate of the weights
// is 0.4 of the published one, as for All-CNN-C; that of the posterior follows METHOD.md 4.1.
func deskConfig(published nbbnn.Config) nbbnn.Config {
	config := published
	config.Network.Width = 16
	config.Training.Epochs, config.Training.BetaEpochs = 30, 20
	config.Training.Batch, config.Training.Samples = 32, 1
	config.Training.LearningRate = 0.4 * published.Training.LearningRate
	config.Training.PosteriorLearningRate = compressed(config, published)
	return config
}

// gammaMethod is a point of a sweep: a number of components, a mode and gamma / K.
func gammaMethod(components int, mode nbbnn.Mode, perComponent float64) Method {
	return Method{
		Name: fmt.Sprintf("%s, K = %d, γ/K = %g", mode, components, perComponent),
		Change: func(config *nbbnn.Config) {
			config.Posterior.Components, config.Posterior.Mode = components, mode
			config.Objective.Gamma = perComponent * float64(components)
		},
	}
}

// gammaGrid returns the methods of all numbers of components and modes with each gamma / K.
func gammaGrid(components []int, modes []nbbnn.Mode, perComponent ...float64) (methods []Method) {
	for _, k := range components {
		for _, mode := range modes {
			for _, gamma := range perComponent {
				methods = append(methods, gammaMethod(k, mode, gamma))
			}
		}
	}
	return methods
}

// everyStep returns 0, step, 2 step, ... up to the last.
func everyStep(step, last float64) (values []float64) {
	for value := 0.0; value <= last; value += step {
		values = append(values, value)
	}
	return values
}

// ofComponents names the curves of a sweep by their number of components.
func ofComponents(config nbbnn.Config) string {
	return fmt.Sprintf("K = %d", config.Posterior.Components)
}

// ofMode names the curves of a sweep by the side of a layer that is noisy.
func ofMode(config nbbnn.Config) string { return string(config.Posterior.Mode) }

// outputs is the mode of most figures.
var outputs = []nbbnn.Mode{nbbnn.Output}

// allModes are the modes with latents.
var allModes = []nbbnn.Mode{nbbnn.Input, nbbnn.Output, nbbnn.Both}
