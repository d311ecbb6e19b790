package command

import (
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn"
)

// presets are a small start and the paper's configurations, one for each network and data set.
var presets = []string{"allcnnc-shapes10", "allcnnc-cifar10-m16", "allcnnc-cifar10-m32",
	"vgg16-cifar10", "vgg16-cifar100", "resnet18-cifar10", "resnet18-cifar100",
	"preactresnet18-tinyimagenet"}

// presetByName returns the configuration of a preset.
func presetByName(name string) (nbbnn.Config, error) {
	if err := check.Known("preset", name, presets...); err != nil || name == presets[0] {
		return nbbnn.SmallAllCNNC(), err
	}
	parts := strings.Split(name, "-")
	config := nbbnn.Paper(parts[0], parts[1])
	if strings.HasSuffix(name, "-m16") {
		config.Posterior.InitStd, config.Posterior.PriorStd = 0.16, 0.16
	}
	return config, nil
}
