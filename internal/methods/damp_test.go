package methods

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The weights are multiplied by draws of N(1, std^2): w times them has mean w and standard
// deviation |w| std.
func TestMultipliedWeightsHaveTheClaimedMoments(t *testing.T) {
	const count, std, weight = 100_000, 0.2, -3.0
	random := rand.New(rand.NewPCG(13, 14))
	weights := slices.Repeat([]float64{weight}, count)
	drawn := run(t, func(args []*Node) []*Node {
		return []*Node{multiplied(args[0], args[1], std)}
	}, weights, normals(random, count))[0]
	sum, squares := 0.0, 0.0
	for _, w := range drawn {
		sum += w - weight
		squares += (w - weight) * (w - weight)
	}
	deviation := math.Abs(weight) * std
	testkit.Near(t, "mean", []float64{sum / count}, []float64{0}, 5*deviation/math.Sqrt(count))
	testkit.Near(t, "standard deviation", []float64{math.Sqrt(squares/count) / deviation},
		[]float64{1}, 5/math.Sqrt(2*count))
}

// With factors of almost one, DAMP takes the step of MAP: on the whole batch, and on sub-batches
// too in a network without batch normalisation, whose losses it reports.
func TestDAMPWithoutNoiseIsMAP(t *testing.T) {
	const std, tolerance = 1e-9, 2e-6
	plain := network.Settings{
		Network: network.Network{Width: 4}, Training: network.Training{Epochs: 2, Batch: 4,
			LearningRate: 0.01},
		Posterior: network.Posterior{Mode: network.Deterministic},
	}
	for _, c := range []struct {
		settings network.Settings
		parts    int
	}{
		{testSettings(), 1}, {plain, 2}, {plain, 4},
	} {
		reference := testStepper(t, Method{Name: baseline.MAP}, c.settings)
		damp := testStepper(t, Method{Name: baseline.DAMP, Std: std, SubBatches: c.parts},
			c.settings)
		for range 3 {
			want := testkit.Must(reference.Step(t.Context()))(t)
			got := testkit.Must(damp.Step(t.Context()))(t)
			testkit.Near(t, "loss and errors", []float64{got.NLL, got.Wrong},
				[]float64{want.NLL, want.Wrong}, tolerance)
		}
		got, want := valuesAfter(t, damp, 0), valuesAfter(t, reference, 0)
		for name := range want {
			testkit.Near(t, name, got[name], want[name], tolerance)
		}
	}
}
