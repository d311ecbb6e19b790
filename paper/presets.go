package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// allCNNC returns the experiment of the figures on All-CNN-C and CIFAR-10 (METHOD.md section 4),
// the zero Setup for an unknown scale. The quick scale has its ResNet18 instead.
func allCNNC(scale Scale) Setup {
	setup := Setup{Methods: []Method{M(0.16), M(0.32)}, Seeds: quantity.FirstSeeds(5)}
	switch scale {
	case Smoke:
		setup.Config = smokeAllCNNC()
		setup.Seeds = quantity.FirstSeeds(2)
		setup.Evaluation = nbbnn.Evaluation{Suite: "first8", Samples: 8}
	case Quick:
		published := nbbnn.Paper("resnet18", dataset.CIFAR10)
		published.Posterior.Components = 1
		setup.Config = quickConfig(published)
		setup.Evaluation, setup.OwnImages = quickEvaluation(), true
	case Desk:
		setup.Config = deskAllCNNC()
		setup.Evaluation = deskEvaluation()
	case Paper:
		setup.Config = nbbnn.Paper("allcnnc", dataset.CIFAR10) // M replaces the standard deviation
		setup.Seeds = quantity.FirstSeeds(25)
		setup.Evaluation = nbbnn.Evaluation{Suite: "all19", Samples: 32}
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
			Epochs: 100, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.02,
			NoAugmentation: true,
		},
	}
}

// deskAllCNNC returns the published network at its width, with a third of the epochs and one
// sample. Its initial values are as in narrow networks: from the published ones 10 of 15 runs stay
// at guessing for 30 epochs.
func deskAllCNNC() nbbnn.Config {
	config := nbbnn.Paper("allcnnc", dataset.CIFAR10)
	config.Network.Form, config.Training.Samples = network.Narrow, 1
	return shortened(config, nbbnn.Paper("allcnnc", dataset.CIFAR10), 30, 20)
}

// deskEvaluation tests on all corruptions, 500 images a cell.
func deskEvaluation() nbbnn.Evaluation {
	return nbbnn.Evaluation{Suite: "all19", Images: 500, Samples: 8}
}

// quickEvaluation tests on eight corruptions, 500 images a cell.
func quickEvaluation() nbbnn.Evaluation {
	return nbbnn.Evaluation{Suite: "first8", Images: 500, Samples: 8}
}

// shortened trains a configuration for other epochs, the first betaEpochs of which raise beta. The
// learning rate of the posterior keeps the pull of the entropy on it: rate x steps / N is the same
// as published (METHOD.md 4.3), with three significant digits. Since N is the batch times the steps
// of an epoch, steps / N is the epochs by the batch.
func shortened(config, published nbbnn.Config, epochs, betaEpochs int) nbbnn.Config {
	config.Training.Epochs, config.Training.BetaEpochs = epochs, betaEpochs
	steps := func(c nbbnn.Config) float64 {
		return float64(c.Training.Epochs) / float64(c.Training.Batch)
	}
	rate := published.Training.PosteriorLearningRate * steps(published) / steps(config)
	digits := math.Pow(10, 2-math.Floor(math.Log10(rate)))
	config.Training.PosteriorLearningRate = math.Round(rate*digits) / digits
	return config
}

// resnetNoise is the initial and prior standard deviation of the narrow ResNet18 of the quick and
// the desk scale, M16's. The published 0.40 is for eight and four times as many channels.
const resnetNoise = 0.16

// quickConfig returns the ResNet18 of a preset at an eighth of its width on 5,000 images of
// CIFAR-10 without augmentation, and 1,000 to choose gamma. Without CIFAR-10 it has 500 and 100
// images of Shapes10. MAP has a gap of over half a nat on both.
func quickConfig(published nbbnn.Config) nbbnn.Config {
	config := narrowResNet18(published, 8, 6000)
	config.Training.NoAugmentation = true
	if _, err := sources.Folder(dataset.CIFAR10, ""); err != nil {
		config.Data.Name, config.Data.Train, config.Data.Validation, config.Data.Test =
			dataset.Shapes10, 600, 100, 2500
		return shortened(config, nbbnn.Paper("resnet18", dataset.CIFAR10), 30, 20)
	}
	return shortened(config, nbbnn.Paper("resnet18", dataset.CIFAR10), 12, 8)
}

// deskConfig returns the ResNet18 of a preset at a quarter of its width on 10,000 images of
// CIFAR-10, and 1,000 to choose gamma.
func deskConfig(published nbbnn.Config) nbbnn.Config {
	return shortened(narrowResNet18(published, 16, 11_000), nbbnn.Paper("resnet18",
		dataset.CIFAR10),
		60, 40)
}

// narrowResNet18 returns the part that the quick and the desk scale share: small batches, one
// sample an image, 0.4 of the published learning rate of the weights, and images of CIFAR-10, 1,000
// of which are held out.
func narrowResNet18(published nbbnn.Config, width, images int) nbbnn.Config {
	resnet18 := nbbnn.Paper("resnet18", dataset.CIFAR10)
	resnet18.Posterior = published.Posterior
	resnet18.Posterior.InitStd, resnet18.Posterior.PriorStd = resnetNoise, resnetNoise
	resnet18.Network.Width = width
	resnet18.Data = nbbnn.Data{Name: dataset.CIFAR10, Train: images, Validation: 1000,
		LabelNoise: published.Data.LabelNoise}
	resnet18.Training.Batch, resnet18.Training.Samples = 32, 1
	resnet18.Training.LearningRate = 0.04
	return resnet18
}

// fixedSigma returns the method with its initial noise: the control for everything that the
// posterior learns. The learning rate isn't 0, which means the default, but so small that no update
// changes a float32.
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
	config.Posterior = nbbnn.Posterior{Components: published.Posterior.Components,
		Mode: published.Posterior.Mode, InitStd: 0.16}
	config.Training.Epochs = 40
	return config
}

// gammaMethod returns a point of a sweep: a number of components, a mode and gamma / K.
func gammaMethod(components int, mode nbbnn.Mode, perComponent float64) Method {
	return Method{
		Name: fmt.Sprintf("%s, K = %d, γ/K = %g", mode, components, perComponent),
		Change: func(config *nbbnn.Config) {
			config.Posterior.Components, config.Posterior.Mode = components, mode
			config.Objective.Gamma = perComponent * float64(components)
		},
	}
}

// gammaGrid returns the methods of a number of components and of modes with each gamma / K.
func gammaGrid(components int, modes []nbbnn.Mode, perComponent ...float64) (methods []Method) {
	for _, mode := range modes {
		for _, gamma := range perComponent {
			methods = append(methods, gammaMethod(components, mode, gamma))
		}
	}
	return methods
}

// withGammas returns methods of an equal number of components with noise on the outputs, named by
// their gamma.
func withGammas(components int, gammas ...float64) (methods []Method) {
	for _, gamma := range gammas {
		method := gammaMethod(components, nbbnn.Output, gamma/float64(components))
		method.Name = gammaName(gamma)
		methods = append(methods, method)
	}
	return methods
}

func gammaName(gamma float64) string { return fmt.Sprintf("γ = %g", gamma) }

// everyStep returns 0, publishedStep, twice that, ... up to the last.
func everyStep(last float64) (values []float64) {
	for value := 0.0; value <= last; value += publishedStep {
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

var outputs = []nbbnn.Mode{nbbnn.Output}

var allModes = []nbbnn.Mode{nbbnn.Input, nbbnn.Output, nbbnn.Both}

// Scale is the size of a figure's experiment.
type Scale string

// The scales. All of them run the same code. The regimes of quick and desk were chosen by the gap
// of their least noisy network, clean test NLL minus training NLL: without one, noise wins nothing
// on clean images (METHOD.md 4.3).
const (
	// Shapes10 (bright) and a narrow All-CNN-C: a minute or two on any laptop; it judges no claim
	Smoke Scale = "smoke"
	Quick Scale = "quick" // few images and a narrow ResNet18: five seeds in minutes on two cores
	Desk  Scale = "desk"  // 10,000 images, or all images at the published width: hours on two cores
	Paper Scale = "paper" // everything as in the paper: days on a GPU
)

// Scales are all scales, the smallest first.
var Scales = []Scale{Smoke, Quick, Desk, Paper}

// judges reports whether claims are decided at the scale. The smoke scale was chosen among others
// by looking at its figures, so it only shows what they look like.
func (s Scale) judges() bool { return s != Smoke }
