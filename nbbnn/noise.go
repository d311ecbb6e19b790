package nbbnn

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/stream"
)

// Standard normal draws are made outside the graph, so that every engine sees the same noise.

// trainingNoise draws the epsilon of every layer, one tensor [rows, D] a layer in the order of the layers, for one step.
func (n *network) trainingNoise(rows, step int) []any {
	draws := n.newNoise(rows)
	for layer, values := range draws {
		fillNormals(values, stream.New(n.config.Seed, stream.Nodes, uint64(step), uint64(layer)))
	}
	return n.noiseTensors(draws, rows)
}

// evaluationNoise draws the epsilon of every layer for the samples of images first, first+1, ..., one tensor
// [images*samples, D] a layer. An image's draws depend on its index alone: not on the batch, and not on its corruption.
func (n *network) evaluationNoise(seed uint64, first, images, samples int) []any {
	draws := n.newNoise(images * samples)
	for layer, values := range draws {
		size := len(values) / images
		for image := range images {
			random := stream.New(n.config.Seed, stream.Evaluation, seed, uint64(first+image), uint64(layer))
			fillNormals(values[image*size:][:size], random)
		}
	}
	return n.noiseTensors(draws, images*samples)
}

func fillNormals(values []float32, random *rand.Rand) {
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
}

func (n *network) newNoise(rows int) [][]float32 {
	draws := make([][]float32, len(n.architecture.layers))
	for i, l := range n.architecture.layers {
		draws[i] = make([]float32, rows*latentDimensions(n.config.Posterior.Mode, l.in, l.out))
	}
	return draws
}

func (n *network) noiseTensors(draws [][]float32, rows int) []any {
	noise := make([]any, len(draws))
	for i, values := range draws {
		noise[i] = tensors.FromFlatDataAndDimensions(values, rows, len(values)/rows)
	}
	return noise
}
