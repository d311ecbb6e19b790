package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// allCNNC returns the experiment of the figures on All-CNN-C and CIFAR-10 (METHOD.md section 4), the
// zero Setup for an unknown scale.
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
		Data:    nbbnn.Data{Name: dataset.Shapes10, Train: 500, Test: 128},
		Training: nbbnn.Training{
			Epochs: 100, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.02, NoAugmentation: true,
		},
	}
}

// deskAllCNNC trains a quarter of the width on all images, augmented, with a third of the epochs of
// the paper and a third more steps. The narrow form starts from He-normal weights and has no ReLU on
// the logits (METHOD.md 4.2).
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

// fixedSigma returns the method with noise that stays as it started: the control for everything that
// the posterior learns. The learning rate isn't 0, which means the default, but so small that no
// update changes a float32.
func fixedSigma(method Method) Method {
	return Method{Name: method.Name + " fixed σ", Change: func(config *nbbnn.Config) {
		method.Change(config)
		config.Training.PosteriorLearningRate = 1e-12
	}}
}
