package network

import (
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
)

// tinySettings train a network of width 4 for two epochs of four steps on 16 images.
func tinySettings() Settings {
	return Settings{
		Network:   Network{Width: 4},
		Posterior: Posterior{Components: 2},
		Training:  Training{Epochs: 2, Batch: 4, Samples: 2, LearningRate: 0.01},
		Seed:      5,
	}
}

// randomData returns a data set of square random images with random labels.
func randomData(count, side, classes int) *dataset.Dataset {
	random := rand.New(rand.NewPCG(37, 38))
	images := dataset.Images{Height: side, Width: side, Pixels: make([]uint8, count*side*side*3),
		Labels: make([]uint8, count)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(random.IntN(256))
	}
	for i := range images.Labels {
		images.Labels[i] = uint8(random.IntN(classes))
	}
	return &dataset.Dataset{
		Name: "random", Classes: make([]string, classes), Train: images,
		Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.29, 0.29, 0.29},
	}
}

// imagesTensor copies images into a tensor [count, height, width, 3].
func imagesTensor(images dataset.Images) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(images.Pixels, images.Count(), images.Height,
		images.Width, 3)
}

// run executes a graph on the chosen engine and returns its outputs as Go values.
func run(t testing.TB, build func(args []*Node) []*Node, args ...any) []any {
	t.Helper()
	e := testkit.Must(engine.Open())(t)
	exec := testkit.Must(NewExec(e.Backend, build))(t)
	outputs := testkit.Must(exec.Call(args...))(t)
	values := make([]any, len(outputs))
	for i, output := range outputs {
		values[i] = output.Value()
	}
	return values
}

// gammaELBO is the objective of numbers that a test chooses.
func gammaELBO(nll *Node, terms Terms, gamma float64, beta *Node, images int) *Node {
	return LossGraph{Terms: terms, Beta: beta, Images: images,
		timesGamma: timesConstant(gamma)}.ELBO(nll)
}
