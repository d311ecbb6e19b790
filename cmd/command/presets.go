package command

import (
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn"
)

// presets are a small start and the paper's configurations, one for each network and data set.
var presets = []struct {
	name   string
	config nbbnn.Config
}{
	{"allcnnc-shapes10", nbbnn.SmallAllCNNC()},
	{"allcnnc-cifar10-m16", paperM16()},
	{"allcnnc-cifar10-m32", nbbnn.Paper("allcnnc", dataset.CIFAR10)},
	{"vgg16-cifar10", nbbnn.Paper("vgg16", dataset.CIFAR10)},
	{"vgg16-cifar100", nbbnn.Paper("vgg16", dataset.CIFAR100)},
	{"resnet18-cifar10", nbbnn.Paper("resnet18", dataset.CIFAR10)},
	{"resnet18-cifar100", nbbnn.Paper("resnet18", dataset.CIFAR100)},
	{"preactresnet18-tinyimagenet", nbbnn.Paper("preactresnet18", dataset.TinyImageNet)},
}

func paperM16() nbbnn.Config {
	config := nbbnn.Paper("allcnnc", dataset.CIFAR10)
	config.Posterior.InitStd, config.Posterior.PriorStd = 0.16, 0.16
	return config
}

func presetNames() (names []string) {
	for _, preset := range presets {
		names = append(names, preset.name)
	}
	return names
}

// presetByName returns the configuration of a preset.
func presetByName(name string) (nbbnn.Config, error) {
	at := slices.Index(presetNames(), name)
	if at < 0 {
		return nbbnn.Config{}, check.Known("preset", name, presetNames()...)
	}
	return presets[at].config, nil
}
