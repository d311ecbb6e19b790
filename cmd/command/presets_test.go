package command

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The table of METHOD.md section 4, row by row.
func TestPresetsAgreeWithThePaper(t *testing.T) {
	for _, c := range []struct {
		name, network, data          string
		epochs, batch, samples, ramp int
		rate, posteriorRate, decay   float64
		initStd, priorStd            float64
		components                   int
		mode                         nbbnn.Mode
		// learning rate at 0.7 and at 0.9 of the epochs
		shortenedRate, lateRate, momentumTerm float64
	}{
		{"allcnnc-cifar10-m16", "allcnnc", dataset.CIFAR10, 90, 128, 4, 60, 0.05, 0.05, 5e-4, 0.16,
			0.16, 1, nbbnn.Output, 0.02525, 0.0005, 0.9},
		{"allcnnc-cifar10-m32", "allcnnc", dataset.CIFAR10, 90, 128, 4, 60, 0.05, 0.05, 5e-4, 0.32,
			0.32, 1, nbbnn.Output, 0.02525, 0.0005, 0.9},
		{"vgg16-cifar10", "vgg16", dataset.CIFAR10, 300, 128, 4, 200, 0.05, 0.05, 5e-4, 0.30, 0.30,
			4, nbbnn.Output, 0.02525, 0.0005, 0.9},
		{"vgg16-cifar100", "vgg16", dataset.CIFAR100, 300, 128, 4, 200, 0.05, 0.05, 5e-4, 0.30,
			0.30, 4, nbbnn.Output, 0.02525, 0.0005, 0.9},
		{"resnet18-cifar10", "resnet18", dataset.CIFAR10, 300, 128, 4, 200, 0.10, 0.10, 5e-4, 0.40,
			0.40, 4, nbbnn.Output, 0.0505, 0.001, 0.9},
		{"resnet18-cifar100", "resnet18", dataset.CIFAR100, 300, 128, 4, 200, 0.10, 0.10, 5e-4,
			0.40, 0.40, 4, nbbnn.Output, 0.0505, 0.001, 0.9},
		{"preactresnet18-tinyimagenet", "preactresnet18", dataset.TinyImageNet, 150, 256, 4, 100,
			0.10, 0.10, 5e-4, 0.30, 0.30, 4, nbbnn.Output, 0.0505, 0.001, 0.9},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := testkit.Must(presetByName(c.name))(t)
			want := nbbnn.Config{
				Network: nbbnn.Network{Name: c.network, Form: network.Published},
				Data:    nbbnn.Data{Name: c.data},
				Posterior: nbbnn.Posterior{Components: c.components, Mode: c.mode,
					InitStd: c.initStd, PriorStd: c.priorStd},
				Objective: nbbnn.Objective{Bound: network.ReferenceBound, Scope: "layer"},
				Training: nbbnn.Training{
					Epochs: c.epochs, Batch: c.batch, Samples: c.samples, LearningRate: c.rate,
					PosteriorLearningRate: c.posteriorRate,
					Momentum:              c.momentumTerm, WeightDecay: c.decay, BetaEpochs: c.ramp,
				},
			}
			if want.Network.Name == "allcnnc" {
				want.Network.Width = 96
			}
			if got != want {
				t.Errorf("the preset is %+v, want %+v", got, want)
			}
			testkit.NoError(t, got.Validate())
			for share, rate := range map[float64]float64{0.7: c.shortenedRate, 0.9: c.lateRate} {
				epoch := int(share*float64(c.epochs) + 0.5)
				theta, _, _ := got.Training.Rates(epoch)
				testkit.Near(t, "learning rate", theta, rate, 1e-12)
			}
			_, _, beta := got.Training.Rates(c.ramp)
			testkit.Near(t, "beta at the end of the ramp", beta, 1.0, 0)
		})
	}
	_, err := presetByName("resnet18-cifar1000")
	testkit.Error(t, "a mistaken name", err, `did you mean "resnet18-cifar100"?`)
	const small = 1 // start, which isn't of the paper
	if len(presets) != small+7 {
		t.Errorf("%d presets, want a small start and the table's 7", len(presets))
	}
}
