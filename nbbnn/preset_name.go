package nbbnn

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/nearest"
)

// Preset is a configuration under a name.
type Preset struct {
	Name   string // such as "resnet18-cifar100"
	Config Config
}

// Presets returns a small start, allcnnc-shapes10, and the paper's configurations, one for each
// network and data set.
func Presets() []Preset {
	return []Preset{
		{"allcnnc-shapes10", SmallAllCNNC()},
		{"allcnnc-cifar10-m16", PaperAllCNNC(0.16)},
		{"allcnnc-cifar10-m32", PaperAllCNNC(0.32)},
		{"vgg16-cifar10", PaperVGG16(dataset.CIFAR10)},
		{"vgg16-cifar100", PaperVGG16(dataset.CIFAR100)},
		{"resnet18-cifar10", PaperResNet18(dataset.CIFAR10)},
		{"resnet18-cifar100", PaperResNet18(dataset.CIFAR100)},
		{"preactresnet18-tinyimagenet", PaperPreActResNet18()},
	}
}

// PresetByName returns the configuration of one of Presets.
func PresetByName(name string) (Config, error) {
	var names []string
	for _, preset := range Presets() {
		if preset.Name == name {
			return preset.Config, nil
		}
		names = append(names, preset.Name)
	}
	return Config{}, fmt.Errorf("nbbnn: unknown preset %q%s: the presets are %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}
