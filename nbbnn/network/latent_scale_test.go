package network

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// scaleSettings are those of a tiny network with batch normalisation and noise on both sides.
func scaleSettings(components int) Settings {
	return Settings{
		Network:   Network{Name: "resnet18", Width: 2},
		Posterior: Posterior{Mode: Both, Components: components, InitStd: 0.3},
		Seed:      7,
	}
}

// predicted returns the log-probabilities of images under draws of a network.
func predicted(t *testing.T, m *Model, images, samples int) []float32 {
	t.Helper()
	p := testkit.Must(m.NewPredictor(images, samples, 3))(t)
	prediction := testkit.Must(p.Predict(t.Context(), randomData(16, 8, 10).Train.Slice(0, images)))(t)
	return prediction.LogProbabilities
}

func scaleModel(t *testing.T, components int, noise Noise) *Model {
	t.Helper()
	return testkit.Must(NewModel(scaleSettings(components), randomData(16, 8, 10), ModelOptions{Noise: noise}))(t)
}

// A factor of 1 changes no bit, and 0 leaves the network with the mean of its latents.
func TestScaleOfOneAndOfZero(t *testing.T) {
	for _, noise := range []Noise{HostNoise, DeviceNoise} {
		m := scaleModel(t, 1, noise)
		near(t, "factor 1", predicted(t, m.WithScale(1), 5, 4), predicted(t, m, 5, 4), 0)
		for _, batch := range []int{0, 5} {
			m := m.WithBatchStatistics(batch)
			near(t, "factor 0", predicted(t, m.WithScale(0), 5, 1), predicted(t, m.With(MeanLatents), 5, 1), 1e-5)
		}
	}
}

// Scaled draws are those of a network whose own standard deviations are scaled: softplus(rho') is
// c softplus(rho).
func TestScaledDrawsAreThoseOfAScaledPosterior(t *testing.T) {
	for _, c := range []float64{0.25, 3} {
		m := scaleModel(t, 2, HostNoise)
		got := predicted(t, m.WithScale(c), 5, 4)
		for _, l := range m.architecture.layers {
			v := m.store.GetVariable(rhoPath(l))
			rho := storedValues(t, m.store, rhoPath(l))
			values := make([]float32, len(rho))
			for i := range rho {
				values[i] = float32(math.Log(math.Expm1(c * math.Log1p(math.Exp(rho[i])))))
			}
			testkit.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
		}
		near(t, "scaled", got, predicted(t, m, 5, 4), 2e-3) // of log-probabilities down to -250
	}
}
