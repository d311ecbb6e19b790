package network

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Masks of Monte-Carlo dropout reach every layer but the first of a network that has none, and the
// layers of a VGG16 that have. A dropped input is zero, the others are scaled so that the mean is
// one.
func TestDropoutInPredictions(t *testing.T) {
	const probability, images, samples = 0.3, 50, 40
	for name, want := range map[string]int{"allcnnc": 7, "resnet18": 20, "vgg16": 2} {
		settings := Settings{
			Network: Network{Name: name, Width: 4}, Posterior: Posterior{Mode: Deterministic}, Dropout: probability,
		}
		m := testkit.Must(NewModel(settings, randomData(16, 32, 10), ModelOptions{Noise: HostNoise}))(t)
		if got := len(m.drawnLayers(false)); got != want || len(m.drawnLayers(true)) != want {
			t.Errorf("%s has dropout in %d layers, want %d", name, got, want)
		}
		if got := len(m.With(OneLatents).drawnLayers(false)); got != 0 {
			t.Errorf("%s with latents ones has dropout in %d layers, want none", name, got)
		}
		sum, zeros, count := 0.0, 0.0, 0.0
		for _, x := range testkit.Flatten(m.EvaluationNoise(7, 0, images, samples)[0].(*tensors.Tensor).Value()) {
			sum += x
			count++
			if x == 0 {
				zeros++
			}
		}
		near(t, name+": share of zeros", zeros/count, probability, 5*math.Sqrt(probability*(1-probability)/count))
		near(t, name+": mean", sum/count, 1.0, 5*math.Sqrt(probability/(1-probability)/count))
	}
}
