package network

import (
	"context"
	"errors"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// renormalisedSettings are those of a network with batch normalisation and without latents.
func renormalisedSettings(batch int) Settings {
	return Settings{
		Network:   Network{Name: "resnet18", Width: 2},
		Posterior: Posterior{Mode: Deterministic},
		Training:  Training{Batch: batch, NoAugmentation: true, LearningRate: 0.01, Epochs: 1},
	}
}

// renormalised returns the variables of a network with recomputed running statistics.
func renormalised(t *testing.T, m *Model, times int) State {
	t.Helper()
	renormalise := testkit.Must(m.Renormaliser(randomData(16, 8, 10).Train))(t)
	for range times {
		testkit.NoError(t, renormalise(t.Context(), nil))
	}
	variables := testkit.Must(m.Variables())(t)
	return State{Variables: variables}
}

func renormalisedModel(t *testing.T, settings Settings) *Model {
	t.Helper()
	return testkit.Must(NewModel(settings, randomData(16, 8, 10), ModelOptions{Noise: HostNoise}))(t)
}

// Without augmentation and with one batch of all images, the running statistics of the first
// normalisation are the mean and the unbiased variance of the first convolution's outputs, whatever
// they were before. Smaller batches weigh the same.
func TestRenormaliserTakesTheStatisticsOfTheImages(t *testing.T) {
	m := renormalisedModel(t, renormalisedSettings(16))
	program := testkit.Must(m.NewProgram("outputs", func(args []*Node) []*Node {
		var stem *Node
		m.Observe(func(name string, x *Node) {
			if name == "stem/conv" {
				stem = x
			}
		}).Logits(args[0], 1, nil)
		return []*Node{Reshape(stem, -1, stem.Shape().Dim(-1))}
	}))(t)
	outputs := testkit.Must(program.Call([]any{m.Normalised(randomData(16, 8, 10).Train, 1)}))(t)
	pixels := outputs[0].Value().([][]float32)
	var mean, variance []float64
	for channel := range pixels[0] {
		sum, squares, count := 0.0, 0.0, float64(len(pixels))
		for _, pixel := range pixels {
			x := float64(pixel[channel])
			sum += x
			squares += x * x
		}
		mean = append(mean, sum/count)
		variance = append(variance, (squares-sum*sum/count)/(count-1))
	}
	const tolerance = 1e-5
	got := renormalised(t, m, 1)
	near(t, "mean", valuesOf(t, got, "running.stem.norm.mean"), mean, tolerance)
	near(t, "variance", valuesOf(t, got, "running.stem.norm.variance"), variance, tolerance)
	checkEqual(t, "a second time", renormalised(t, m, 1), got)

	parts := renormalised(t, renormalisedModel(t, renormalisedSettings(4)), 1)
	near(t, "mean of four batches", valuesOf(t, parts, "running.stem.norm.mean"), mean, tolerance)
}

func TestRenormaliserStops(t *testing.T) {
	m := renormalisedModel(t, renormalisedSettings(4))
	renormalise := testkit.Must(m.Renormaliser(randomData(16, 8, 10).Train))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := renormalise(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}
