package nbbnn

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/stream"
)

// Standard normal draws are made outside the graph, so that every engine sees the same noise. Only on a device that should
// not wait for its host are they made in the graph, and these functions return the key to them.

// trainingNoise draws the epsilon of every layer, one tensor [rows, D] a layer in the order of the layers, for one step.
func (n *network) trainingNoise(rows, step int) []any {
	if n.deviceNoise {
		return []any{noiseKey(stream.Words(n.config.Seed, stream.Nodes, uint64(step)), 0)}
	}
	layers := n.drawnLayers(true)
	draws := n.newNoise(layers, rows)
	eachInParallel(len(draws), func(layer int) {
		random := stream.New(n.config.Seed, stream.Nodes, uint64(step), uint64(layer))
		if n.config.Posterior.Mode == Deterministic {
			fillMask(draws[layer], random, layers[layer].dropout)
		} else {
			fillNormals(draws[layer], random)
		}
	})
	return noiseTensors(draws, rows)
}

// evaluationNoise draws the epsilon of every layer for the samples of images first, first+1, ..., one tensor
// [images*samples, D] a layer. An image's draws depend on its index alone: not on the batch, and not on its corruption.
func (n *network) evaluationNoise(seed uint64, first, images, samples int) []any {
	if n.deviceNoise {
		return []any{noiseKey(stream.Words(n.config.Seed, stream.Evaluation, seed), first)}
	}
	draws := n.newNoise(n.drawnLayers(false), images*samples)
	eachInParallel(len(draws), func(layer int) {
		size := len(draws[layer]) / images
		for image := range images {
			random := stream.New(n.config.Seed, stream.Evaluation, seed, uint64(first+image), uint64(layer))
			fillNormals(draws[layer][image*size:][:size], random)
		}
	})
	return noiseTensors(draws, images*samples)
}

// eachInParallel runs do for 0 to count-1 on all cores. Every call has random numbers of its own, so their order doesn't matter.
func eachInParallel(count int, do func(i int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(count, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

func fillNormals(values []float32, random *rand.Rand) {
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
}

// fillMask draws a dropout mask: 0 with the given probability, else what keeps the mean at one.
func fillMask(values []float32, random *rand.Rand, probability float64) {
	kept := float32(1 / (1 - probability))
	for i := range values {
		values[i] = 0
		if random.Float64() >= probability {
			values[i] = kept
		}
	}
}

// drawnLayers are the layers for which a forward pass needs draws: all of them, none if the latents are fixed, or those with dropout in the training of a
// network without latents.
func (n *network) drawnLayers(training bool) (layers []layer) {
	if !training && n.fixed != "" {
		return nil
	}
	if n.config.Posterior.Mode != Deterministic {
		return n.architecture.layers
	}
	for _, l := range n.architecture.layers {
		if training && l.dropout > 0 {
			layers = append(layers, l)
		}
	}
	return layers
}

func (n *network) newNoise(layers []layer, rows int) [][]float32 {
	draws := make([][]float32, len(layers))
	for i, l := range layers {
		draws[i] = make([]float32, rows*n.drawnDimensions(l))
	}
	return draws
}

// drawnDimensions is how many numbers a row needs in a layer: its latents, or what a dropout mask covers.
func (n *network) drawnDimensions(l layer) int {
	if n.config.Posterior.Mode == Deterministic {
		return l.in
	}
	return latentDimensions(n.config.Posterior.Mode, l.in, l.out)
}

func noiseTensors(draws [][]float32, rows int) []any {
	noise := make([]any, len(draws))
	for i, values := range draws {
		noise[i] = tensors.FromFlatDataAndDimensions(values, rows, len(values)/rows)
	}
	return noise
}
