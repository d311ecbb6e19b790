package network

import (
	"math"
	"math/rand/v2"
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

// The samples of one linear layer with dropout have the mean of the layer without it and the
// variance p/(1-p) sum (w x)^2.
func TestDropoutOfALinearLayerHasTheClaimedMoments(t *testing.T) {
	const probability, in, rows = 0.2, 6, 40_000
	mask := make([]float32, rows*in)
	fillMask(mask, rand.New(rand.NewPCG(1, 2)), probability)
	x, w := []float64{1, -2, 0.5, 3, 0.1, -1}, []float64{0.3, 0.2, -1, 0.5, 2, -0.7}
	mean, variance, sum, squares := 0.0, 0.0, 0.0, 0.0
	for i := range in {
		mean += w[i] * x[i]
		variance += probability / (1 - probability) * w[i] * w[i] * x[i] * x[i]
	}
	for row := range rows {
		y := -mean
		for i := range in {
			y += w[i] * x[i] * float64(mask[row*in+i])
		}
		sum += y
		squares += y * y
	}
	near(t, "mean", sum/rows, 0.0, 5*math.Sqrt(variance/rows))
	near(t, "variance", squares/rows/variance, 1.0, 0.05)
}
