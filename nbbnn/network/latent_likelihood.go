package network

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
)

// latentLikelihood computes Model.LatentLikelihood.
type latentLikelihood struct {
	program *Program
	batches [][]any // pixels, labels and the weights of the images, 0 for one that fills the batch
	layers  []layer
	counts  []int // latents of each layer
}

func newLatentLikelihood(m *Model, images dataset.Images, batch int) (*latentLikelihood, error) {
	l := &latentLikelihood{layers: m.drawnLayers(true)}
	if m.Settings.Posterior.Mode == Deterministic || len(l.layers) == 0 {
		return nil, fmt.Errorf("nbbnn: the network has no latents to sample: give mode %q", Output)
	}
	for _, layer := range l.layers {
		l.counts = append(l.counts, m.drawnDimensions(layer))
	}
	batch = min(batch, images.Count())
	for first := 0; first < images.Count(); first += batch {
		labels, weights := make([]int32, batch), make([]float32, batch)
		for i := range min(batch, images.Count()-first) {
			labels[i], weights[i] = int32(images.Labels[first+i]), 1
		}
		pixels := tensorOfBatch(images.Pixels, first, batch, images.Height, images.Width)
		l.batches = append(l.batches, []any{pixels, tensors.FromValue(labels),
			tensors.FromValue(weights)})
	}
	var err error
	l.program, err = m.NewProgram("gradient of the latents", func(args []*Node) []*Node {
		return l.build(m, args)
	})
	return l, err
}

// build returns the log-likelihood of a batch, its gradient by z and the number of
// images whose likeliest class is wrong, from pixels, labels, weights and z [1, sum of D].
func (l *latentLikelihood) build(m *Model, args []*Node) []*Node {
	p := newPass(m, args[0].Graph(), 1, true)
	p.constant, p.noise = true, map[string]*Node{}
	pixels, labels, weights, z := m.normalise(ConvertDType(args[0], computeType)), args[1], args[2],
		args[3]
	rows, first := pixels.Shape().Dim(0), 0
	for i, layer := range l.layers {
		own := Slice(z, AxisRange(), AxisRange(first, first+l.counts[i]))
		p.noise[layer.name] = BroadcastToDims(own, rows, l.counts[i])
		first += l.counts[i]
	}
	logProbabilities := LogSoftmax(p.logits(m.Architecture, pixels)) // [rows, classes]
	truth := OneHot(labels, m.Classes, computeType)
	likelihood := ReduceAllSum(Mul(ReduceSum(Mul(logProbabilities, truth), -1), weights))
	differs := NotEqual(ArgMax(StopGradient(logProbabilities), -1, dtypes.Int32), labels)
	wrong := ReduceAllSum(Mul(ConvertDType(differs, computeType), weights))
	return []*Node{likelihood, Gradient(likelihood, z)[0], wrong}
}

func (l *latentLikelihood) at(z []float64) (value float64, gradient []float64, wrong float64,
	err error) {
	position := make([]float32, len(z))
	for i, x := range z {
		position[i] = float32(x)
	}
	gradient = make([]float64, len(z))
	for _, batch := range l.batches {
		outputs, err := l.program.Call(append(batch[:3:3],
			tensors.FromFlatDataAndDimensions(position, 1, len(z))))
		if err != nil {
			return 0, nil, 0, err
		}
		values, err := tensors.CopyFlatData[float32](outputs[1])
		if err != nil {
			return 0, nil, 0, err
		}
		for i, g := range values {
			gradient[i] += float64(g)
		}
		value += scalar(outputs[0])
		wrong += scalar(outputs[2])
	}
	return value, gradient, wrong, nil
}
