package nbbnn

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The presets are the paper's settings, METHOD.md section 4, and a small start. Gamma is 0 in all
// of them, because the paper's values weren't published: the validation images choose it (METHOD.md
// 4.1). The seed is 0.

// SmallAllCNNC returns a small start that isn't of the paper: All-CNN-C at a sixth of its width,
// which learns 500 images of Shapes10 in about 25 seconds on two cores, to a test error of about 19
// % where chance is 90 %.
func SmallAllCNNC() Config {
	return Config{
		Network:   Network{Name: "allcnnc", Width: 16},
		Data:      Data{Name: dataset.Shapes10, Train: 500, Test: 500},
		Posterior: Posterior{Components: 1, InitStd: 0.32},
		Training: Training{
			Epochs: 60, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.1,
			NoAugmentation: true,
		},
	}
}

// Paper returns the paper's configuration of a network on a data set: vgg16 or resnet18 on CIFAR-10
// or CIFAR-100, or preactresnet18 on TinyImageNet, with four components and noise on the outputs,
// both of which the paper varies; or allcnnc on CIFAR-10, with one. The initial standard deviation
// of allcnnc, which is the prior's too, is the 0.32 of the paper's M32; its M16 has 0.16. Open
// refuses another name.
func Paper(name, data string) Config {
	of := Network{Name: name, Form: network.Published}
	s := network.Settings{Network: of, Posterior: Posterior{Components: 4}}.WithDefaults()
	config := Config{Network: of, Data: Data{Name: data}, Posterior: s.Posterior,
		Objective: s.Objective, Training: s.Training}
	if name == "allcnnc" {
		config.Network.Width, config.Posterior.Components = 96, 1
		config.Posterior.InitStd, config.Posterior.PriorStd = 0.32, 0.32
	}
	return config
}
