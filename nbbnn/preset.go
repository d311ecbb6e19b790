package nbbnn

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/nearest"
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

// PaperAllCNNC returns the paper's configuration of All-CNN-C on CIFAR-10, with the given initial
// standard deviation, which is the prior's too: 0.16 for the paper's M16 and 0.32 for its M32.
func PaperAllCNNC(initStd float64) Config {
	config := paperConfig("allcnnc", dataset.CIFAR10)
	config.Network.Width = 96
	config.Posterior.Components = 1
	config.Posterior.InitStd, config.Posterior.PriorStd = initStd, initStd
	return config
}

// PaperVGG16 returns the paper's configuration of VGG16 on CIFAR-10 or CIFAR-100, with four
// components and noise on the outputs; the paper varies both.
func PaperVGG16(data string) Config { return paperConfig("vgg16", data) }

// PaperResNet18 returns the paper's configuration of ResNet18 on CIFAR-10 or CIFAR-100, with four
// components and noise on the outputs; the paper varies both.
func PaperResNet18(data string) Config { return paperConfig("resnet18", data) }

// PaperPreActResNet18 returns the paper's configuration of PreActResNet18 on TinyImageNet, with
// four components and noise on the outputs; the paper varies both.
func PaperPreActResNet18() Config { return paperConfig("preactresnet18", dataset.TinyImageNet) }

// paperConfig returns the published settings of a network, which are its defaults, for a data set.
func paperConfig(name, data string) Config {
	of := Network{Name: name, Form: network.Published}
	s := network.Settings{Network: of, Posterior: Posterior{Components: 4}}.WithDefaults()
	return Config{Network: of, Data: Data{Name: data}, Posterior: s.Posterior,
		Objective: s.Objective, Training: s.Training}
}

// presets are a small start and the paper's configurations, one for each network and data set.
var presets = []struct {
	name   string
	config Config
}{
	{"allcnnc-shapes10", SmallAllCNNC()},
	{"allcnnc-cifar10-m16", PaperAllCNNC(0.16)},
	{"allcnnc-cifar10-m32", PaperAllCNNC(0.32)},
	{"vgg16-cifar10", PaperVGG16(dataset.CIFAR10)},
	{"vgg16-cifar100", PaperVGG16(dataset.CIFAR100)},
	{"resnet18-cifar10", PaperResNet18(dataset.CIFAR10)},
	{"resnet18-cifar100", PaperResNet18(dataset.CIFAR100)},
	{"preactresnet18-tinyimagenet", PaperPreActResNet18()},
}

// Presets lists the names that PresetByName takes, for example "resnet18-cifar100".
func Presets() (names []string) {
	for _, preset := range presets {
		names = append(names, preset.name)
	}
	return names
}

// PresetByName returns the configuration of one of Presets: a small start, allcnnc-shapes10, or one
// of the paper's, by network and data set.
func PresetByName(name string) (Config, error) {
	for _, preset := range presets {
		if preset.name == name {
			return preset.config, nil
		}
	}
	return Config{}, fmt.Errorf("nbbnn: unknown preset %q%s: the presets are %s", name,
		nearest.Hint(name, Presets()), strings.Join(Presets(), ", "))
}
