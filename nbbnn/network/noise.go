package network

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/random"
)

// Places where the standard normal draws of the latents are made.
const (
	HostNoise   = "host"   // outside the graph, the same for every engine
	DeviceNoise = "device" // in the graph, so that a GPU doesn't wait for its host
)

// Noise is drawn outside the graph, so that every engine gets the same numbers. A device generates
// it in the graph from a key, so that it doesn't wait for its host.

// TrainingNoise draws the epsilon of every layer for one step: a tensor [batch*samples, D] for each
// layer, in order. Steps are counted over all epochs. With DeviceNoise it returns the key of the
// noise.
func (m *Model) TrainingNoise(step int) []any {
	if m.Noise == DeviceNoise {
		return []any{m.trainingKey(step)}
	}
	layers := m.drawnLayers(true)
	noise := m.trainingTensors(layers, tensors.FromShape)
	m.drawTraining(step, layers, noise)
	return noise
}

// trainingTensors returns a tensor for the noise of each layer in a training step.
func (m *Model) trainingTensors(layers []layer, made func(shapes.Shape) *tensors.Tensor) []any {
	return m.noiseTensors(layers, m.Settings.Training.Batch*m.Settings.Training.Samples, made)
}

// drawTraining draws the noise of the first layers in a training step.
func (m *Model) drawTraining(step int, layers []layer, noise []any) {
	m.drawLayers(layers, noise, func(layer int, values []float32) {
		m.fill(layers[layer], values, m.trainingGenerator(step, layer))
	})
}

// trainingGenerator returns the generator of a layer's noise in a step.
func (m *Model) trainingGenerator(step, layer int) *rand.Rand {
	return random.New(m.Settings.Seed, random.Nodes, uint64(step), uint64(layer))
}

// trainingKey returns the key of the draws of a training step on a device.
func (m *Model) trainingKey(step int) []uint32 {
	return noiseKey(random.Words(m.Settings.Seed, random.Nodes, uint64(step)), 0)
}

// EvaluationNoise draws the epsilon of every layer for the samples of images first, first+1, ...,
// one tensor [images*samples, D] for each layer. With DeviceNoise it returns the key of the noise.
// The noise of an image depends on its index, not on the batch or the corruption.
func (m *Model) EvaluationNoise(seed uint64, first, images, samples int) []any {
	if m.Noise == DeviceNoise {
		return []any{noiseKey(random.Words(m.Settings.Seed, random.Evaluation, seed), first)}
	}
	layers := m.drawnLayers(false)
	noise := m.noiseTensors(layers, images*samples, tensors.FromShape)
	m.drawLayers(layers, noise, func(layer int, values []float32) {
		size := len(values) / images
		for image := range images {
			rng := random.New(m.Settings.Seed, random.Evaluation, seed, uint64(first+image),
				uint64(layer))
			m.fill(layers[layer], values[image*size:][:size], rng)
		}
	})
	return noise
}

// noiseTensors returns a tensor [rows, D] for each layer, made for a shape.
func (m *Model) noiseTensors(layers []layer, rows int,
	made func(shapes.Shape) *tensors.Tensor) []any {
	noise := make([]any, len(layers))
	for i, l := range layers {
		noise[i] = made(shapes.Make(dtypes.Float32, rows, m.drawnDimensions(l)))
	}
	return noise
}

// keptTensor returns a tensor where the engine reads it, if it can. Its memory may be outside Go's,
// so it's for tensors made once: the garbage collector doesn't limit the number of such tensors.
func (m *Model) keptTensor(shape shapes.Shape) *tensors.Tensor {
	tensor, err := tensors.FromShapeForBackend(m.Engine.Backend, 0, shape)
	if err != nil { // a step then copies the draws to the engine
		return tensors.FromShape(shape)
	}
	return tensor
}

// drawLayers fills the tensors of layers on all cores. It begins with the last layers, which are
// often the widest: then no core has a wide one left when the others are done.
func (m *Model) drawLayers(layers []layer, noise []any, draw func(layer int, values []float32)) {
	parallel.OnCores(len(layers), func(i int) {
		i = len(layers) - 1 - i
		tensors.MustMutableFlatData(noise[i].(*tensors.Tensor), func(values []float32) {
			draw(i, values)
		})
	})
}

// fill draws the noise of some rows of a layer.
func (m *Model) fill(l layer, values []float32, rng *rand.Rand) {
	if m.Settings.Posterior.Mode == Deterministic {
		fillMask(values, rng, m.dropout(l))
	} else {
		fillNormals(values, rng)
	}
}

// layerDraws returns each layer's noise, [images*samples, D]: noise itself, or on a device the
// noise generated from the key noise[0].
func (m *Model) layerDraws(noise []*Node, images, samples int, training bool) []*Node {
	if m.Noise == DeviceNoise {
		return m.drawNoise(noise[0], images, samples, training)
	}
	return noise
}

// drawNoise draws the epsilon of every layer in the graph, each [images*samples, D]. A number
// depends only on the key, the index of its image, the sample and its place among all latents of
// the network: not on the size of the batch.
func (m *Model) drawNoise(key *Node, images, samples int, training bool) []*Node {
	layers := m.drawnLayers(training)
	widths, total := make([]int, len(layers)), 0
	for i, l := range layers {
		widths[i] = m.drawnDimensions(l)
		total += widths[i]
	}
	words := noiseWords(key, images, samples, total)
	numbers := make([]*Node, len(layers))
	for i, at := 0, 0; i < len(layers); i++ {
		columns := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(at, at+widths[i])) }
		if m.Settings.Posterior.Mode == Deterministic {
			numbers[i] = dropoutMask(columns(words[0]), m.dropout(layers[i]))
		} else {
			numbers[i] = normalOf(columns(words[0]), columns(words[1]))
		}
		at += widths[i]
	}
	return numbers
}

func fillNormals(values []float32, rng *rand.Rand) {
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
}

// fillMask draws a dropout mask: 0 with the given probability p, otherwise 1/(1-p), so that the
// mean is one.
func fillMask(values []float32, rng *rand.Rand, probability float64) {
	kept := float32(1 / (1 - probability))
	for i := range values {
		values[i] = 0
		if rng.Float64() >= probability {
			values[i] = kept
		}
	}
}

// drawnLayers returns the layers for which a forward pass needs draws: all, none if the latents are
// fixed, or the ones with dropout if there are no latents.
func (m *Model) drawnLayers(training bool) (layers []layer) {
	if !training && m.fixed != "" {
		return nil
	}
	if m.Settings.Posterior.Mode != Deterministic {
		return m.Architecture.noisy()
	}
	for _, l := range m.Architecture.layers {
		if m.dropout(l) > 0 && (training || m.Settings.Dropout > 0) {
			layers = append(layers, l)
		}
	}
	return layers
}

// dropout returns the probability with which a network without latents drops an input of a layer.
func (m *Model) dropout(l layer) float64 {
	switch {
	case m.Settings.Dropout == 0:
		return l.dropout
	case l.dropout > 0, !m.Architecture.HasDropout && !l.first:
		return m.Settings.Dropout
	}
	return 0
}

// drawnDimensions returns the count of numbers that a row of a layer needs: one for each latent, or
// one for each input of a dropout mask.
func (m *Model) drawnDimensions(l layer) int {
	if m.Settings.Posterior.Mode == Deterministic {
		return l.in
	}
	return latentDimensions(m.Settings.Posterior.Mode, l.in, l.out)
}
