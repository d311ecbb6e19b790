package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The table of METHOD.md section 4, row by row.
func TestPresetsAgreeWithThePaper(t *testing.T) {
	for _, c := range []struct {
		name, network, data                   string
		epochs, batch, samples, ramp          int
		rate, posteriorRate, decay            float64
		initStd, priorStd                     float64
		components                            int
		mode                                  Mode
		shortenedRate, lateRate, momentumTerm float64 // learning rate at 0.7 and at 0.9 of the epochs
	}{
		{"allcnnc-cifar10-m16", "allcnnc", dataset.CIFAR10, 90, 128, 4, 60, 0.05, 0.05, 5e-4, 0.16, 0.16, 1, Output, 0.02525, 0.0005, 0.9},
		{"allcnnc-cifar10-m32", "allcnnc", dataset.CIFAR10, 90, 128, 4, 60, 0.05, 0.05, 5e-4, 0.32, 0.32, 1, Output, 0.02525, 0.0005, 0.9},
		{"vgg16-cifar10", "vgg16", dataset.CIFAR10, 300, 128, 4, 200, 0.05, 0.05, 5e-4, 0.30, 0.30, 4, Output, 0.02525, 0.0005, 0.9},
		{"vgg16-cifar100", "vgg16", dataset.CIFAR100, 300, 128, 4, 200, 0.05, 0.05, 5e-4, 0.30, 0.30, 4, Output, 0.02525, 0.0005, 0.9},
		{"resnet18-cifar10", "resnet18", dataset.CIFAR10, 300, 128, 4, 200, 0.10, 0.10, 5e-4, 0.40, 0.40, 4, Output, 0.0505, 0.001, 0.9},
		{"resnet18-cifar100", "resnet18", dataset.CIFAR100, 300, 128, 4, 200, 0.10, 0.10, 5e-4, 0.40, 0.40, 4, Output, 0.0505, 0.001, 0.9},
		{"preactresnet18-tinyimagenet", "preactresnet18", dataset.TinyImageNet, 150, 256, 4, 100, 0.10, 0.10, 5e-4, 0.30, 0.30, 4, Output, 0.0505, 0.001, 0.9},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := testkit.Must(PresetByName(c.name))(t)
			want := Config{
				Network:   Network{Name: c.network, Form: network.Published},
				Data:      Data{Name: c.data},
				Posterior: Posterior{Components: c.components, Mode: c.mode, InitStd: c.initStd, PriorStd: c.priorStd},
				Objective: Objective{Bound: network.ReferenceBound, Scope: network.LayerScope},
				Training: Training{
					Epochs: c.epochs, Batch: c.batch, Samples: c.samples, LearningRate: c.rate, PosteriorLearningRate: c.posteriorRate,
					Momentum: c.momentumTerm, WeightDecay: c.decay, BetaEpochs: c.ramp,
				},
			}
			if want.Network.Name == "allcnnc" {
				want.Network.Width = 96
			}
			equal(t, "preset", got, want)
			testkit.NoError(t, got.Validate())
			for share, rate := range map[float64]float64{0.7: c.shortenedRate, 0.9: c.lateRate} {
				epoch := int(share*float64(c.epochs) + 0.5)
				near(t, "learning rate", got.Training.LearningRate*network.LearningRateFactor(epoch, got.Training.Epochs), rate, 1e-12)
			}
			near(t, "beta at the end of the ramp", network.Beta(c.ramp, got.Training.BetaEpochs), 1.0, 0)
		})
	}
	refused(t, "a mistaken name", `did you mean "resnet18-cifar100"?`)(PresetByName("resnet18-cifar1000"))
	const small = 1 // start, which isn't of the paper
	if len(Presets()) != small+7 {
		t.Errorf("%d presets, want a small start and the table's 7", len(Presets()))
	}
}

// A tenth of the epochs: a tenth of the ramp, ten times the posterior's learning rate, and the rest
// as it was.
func TestCompress(t *testing.T) {
	full := PaperResNet18(dataset.CIFAR10).WithDefaults()
	got := testkit.Must(full.Compress(30))(t)
	want := full
	want.Training.Epochs, want.Training.BetaEpochs, want.Training.PosteriorLearningRate = 30, 20, 1
	near(t, "posterior learning rate", got.Training.PosteriorLearningRate, 1.0, 1e-12)
	got.Training.PosteriorLearningRate = 1
	equal(t, "compressed", got, want)
	for _, e := range []int{0, 15, 18, 21, 27, 29} { // the same epoch of either schedule, as a share
		near(t, "learning rate factor", network.LearningRateFactor(e, 30), network.LearningRateFactor(10*e, 300), 1e-12)
	}
	refused(t, "no epochs are accepted", "")(full.Compress(0))
}
