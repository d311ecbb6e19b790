package paper

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// The costs of METHOD.md section 6 for one run of the paper: networks, data sets and image sizes.
func TestOperationsOfThePaper(t *testing.T) {
	for _, test := range []struct {
		name                string
		config              nbbnn.Config
		training, test, tol float64
	}{
		{"All-CNN-C", nbbnn.PaperAllCNNC(0.16), 3.0e16, 1.6e16, 0.02},
		{"VGG16", nbbnn.PaperVGG16(dataset.CIFAR100), 1.13e17, 1.8e16, 0.02},
		{"ResNet18", nbbnn.PaperResNet18(dataset.CIFAR10), 2.0e17, 3.2e16, 0.02},
		{"PreActResNet18", nbbnn.PaperPreActResNet18(), 8.0e17, 1.3e17, 0.03},
	} {
		config := test.config.WithDefaults()
		closeTo(t, test.name+", training", trainingOperations(config)/test.training, 1, test.tol)
		closeTo(t, test.name+", test", testOperations(config, nbbnn.Evaluation{Samples: 30}, 96)/test.test, 1, test.tol)
	}
}

func TestImplicitOperations(t *testing.T) {
	config := nbbnn.PaperAllCNNC(0.16).WithDefaults()
	one := implicitOperations(config, implicit.Settings{}.WithDefaults(1))
	for expected, times := range map[int]float64{0: 1, 1: 1, 64: 64} {
		got := implicitOperations(config, implicit.Settings{Expected: expected}.WithDefaults(1))
		closeTo(t, "search of the mean of draws", got, times*one, 1e-6*one)
	}
}
