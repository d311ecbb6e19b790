package network

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// planned is the forward pass of an architecture under construction.
type planned struct {
	Architecture
	*pass
	values []*Node // outputs of the steps
	noise  []*Node // a convolution's output latents, not multiplied yet; nil for none
}

// forward builds the forward pass, from images [images, height, width, 3] to logits [rows,
// classes].
func (a Architecture) forward(with *pass, images *Node) *Node {
	if a.graph != nil {
		return a.graph.forward(with, a.layers, images)
	}
	count := len(a.steps)
	f := &planned{Architecture: a, pass: with, values: make([]*Node, count),
		noise: make([]*Node, count)}
	for i, s := range a.steps {
		if !a.fused[i] {
			f.values[i], f.noise[i] = f.compute(s, images)
		}
	}
	return f.value(a.output)
}

// compute returns the output of a step, and the latents that it must still be multiplied by.
func (f *planned) compute(s step, images *Node) (output, noise *Node) {
	switch s.kind {
	case imageStep:
		return images, nil
	case rescaleStep:
		return rescale(images), nil
	case convolutionStep:
		return f.convolveApart(f.value(s.inputs[0]), s.layer)
	case denseStep:
		return f.dense(f.features(s.inputs[0]), s.layer), nil
	case normaliseStep:
		h, noise := f.parts(s.inputs[0])
		return f.normalise(h, noise, s.normalisation), nil
	case maxPoolStep:
		return f.halve(f.value(s.inputs[0])), nil
	case stemPoolStep:
		return f.poolStem(f.value(s.inputs[0])), nil
	case averagePoolStep:
		return operation.AveragePixels(ConvertDType(f.value(s.inputs[0]), f.numbers())), nil
	case addStep:
		return f.sum(s), nil
	}
	return f.rectifyStep(s.inputs[0]), nil
}

// value returns the output of a step.
func (f *planned) value(i int) *Node {
	if noise := f.noise[i]; noise != nil {
		h := f.values[i]
		f.values[i], f.noise[i] = ConvertDType(scaleChannels(h, noise), h.DType()), nil
	}
	return f.values[i]
}

// parts returns the output of a step without its latents, nil for none, if only one step uses it.
func (f *planned) parts(i int) (h, noise *Node) {
	if f.users[i] > 1 {
		return f.value(i), nil
	}
	return f.values[i], f.noise[i]
}

// features returns the input of a dense layer, [rows, features].
func (f *planned) features(i int) *Node {
	x := f.repeated(i, f.value(i))
	return Reshape(x, x.Shape().Dim(0), f.steps[i].channels)
}

// repeated gives every sample its own row, if the output of a step has one row per image.
func (f *planned) repeated(i int, x *Node) *Node {
	if f.steps[i].perImage && f.samples > 1 {
		return operation.RepeatRows(x, f.samples)
	}
	return x
}

// sum computes a sum, each input with its latents in one operation.
func (f *planned) sum(s step) *Node {
	left, right := s.inputs[0], s.inputs[1]
	h, noise := f.parts(left)
	shortcut, shortcutNoise := f.parts(right)
	other := addNoisy(shortcut, shortcutNoise, nil)
	if f.steps[left].perImage != f.steps[right].perImage {
		h, other = f.repeated(left, h), f.repeated(right, other)
	}
	return addNoisy(h, noise, other)
}

// addNoisy returns h times its noise plus a residual, which may both be nil, computed in the type
// of the noise and returned in h's.
func addNoisy(h, noise, residual *Node) *Node {
	compute := h.DType()
	if noise != nil {
		h = ConvertDType(h, noise.DType())
	}
	if residual != nil {
		residual = ConvertDType(residual, h.DType())
	}
	return ConvertDType(operation.AddNoisy(h, noise, residual), compute)
}

// rectifyStep computes a ReLU with the steps before it that are fused with it.
func (f *planned) rectifyStep(input int) *Node {
	s := f.steps[input]
	switch {
	case s.kind == normaliseStep && f.fused[input]:
		h, noise := f.parts(s.inputs[0])
		return f.normaliseRectify(h, noise, s.normalisation, nil)
	case s.kind == addStep && f.fused[input]:
		normalised := f.steps[s.inputs[0]]
		h, noise := f.parts(normalised.inputs[0])
		return f.normaliseRectify(h, noise, normalised.normalisation, f.value(s.inputs[1]))
	case s.layer.name != "":
		return f.rectify(f.value(input), s.layer)
	}
	return f.activation(f.value(input))
}
