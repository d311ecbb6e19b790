package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// stepKind is the computation of a plan's step.
type stepKind string

const (
	imageStep       stepKind = "image"
	convolutionStep stepKind = "convolution"
	denseStep       stepKind = "dense"
	normaliseStep   stepKind = "normalisation"
	rectifyStep     stepKind = "ReLU"
	maxPoolStep     stepKind = "max pool"
	stemPoolStep    stepKind = "pool of the stem" // pass.poolStem
	rescaleStep     stepKind = "rescaling"        // of the image
	averagePoolStep stepKind = "average pool"
	addStep         stepKind = "sum"
)

type step struct {
	kind          stepKind
	inputs        []int         // earlier steps
	layer         layer         // of a convolution or dense layer
	normalisation normalisation // of a normalisation
	channels      int           // of the output, or its features
	flat          bool          // the output has no pixels
	perImage      bool          // the output is one row per image, not yet one per sample
}

// String describes the output of a step for errors.
func (s step) String() string {
	if s.flat {
		return fmt.Sprintf("%d features", s.channels)
	}
	return fmt.Sprintf("images of %d channels", s.channels)
}

// name returns the name of a step for errors.
func (s step) name() string {
	switch s.kind {
	case convolutionStep, denseStep:
		return s.layer.name
	case normaliseStep:
		return s.normalisation.name
	}
	return "a " + string(s.kind)
}

// newArchitecture returns the architecture of a builder's steps, of which output must give the
// logits.
func newArchitecture(b *Builder, output Value) Architecture {
	require(output.builder == b,
		"the definition returns no value of its Builder: return the last layer's")
	hasWeights := func(s step) bool { return s.layer.name != "" }
	require(slices.ContainsFunc(b.steps, hasWeights), "it has no layer with weights: add one")
	last := b.steps[output.step]
	require(last.flat && last.channels == b.classes,
		"it ends with %s, want %d features, one for each class: "+
			"end with Dense{Features: b.Classes()}, or with AveragePool",
		last, b.classes)
	a := architectureOf(output)
	require(len(a.noisy()) > 0, "no layer has latents: leave NoLatents out of one, or out of all "+
		"and train with mode none")
	return a
}

// architectureOf returns the architecture of the steps of a value's builder, which all have to be
// used.
func architectureOf(output Value) Architecture {
	steps := output.builder.steps
	a := Architecture{steps: steps, output: output.step, users: make([]int, len(steps)),
		fused: make([]bool, len(steps))}
	a.users[a.output]++
	for _, s := range steps {
		for _, input := range s.inputs {
			a.users[input]++
		}
	}
	for i, s := range steps {
		require(a.users[i] > 0, "nothing uses %s: remove it", s.name())
		switch s.kind {
		case rectifyStep:
			a.fuse(s.inputs[0])
		case convolutionStep, denseStep:
			a.layers = append(a.layers, s.layer)
			a.Parameters += s.layer.parameters()
		case normaliseStep:
			a.normalisations = append(a.normalisations, s.normalisation)
			a.Parameters += 2 * s.normalisation.channels
		}
		a.HasDropout = a.HasDropout || s.layer.dropout > 0
	}
	a.HasNormalisation = len(a.normalisations) > 0
	return a
}

// fuse marks the input of a ReLU that the ReLU computes: a normalisation, with a sum between them
// if there is one.
func (a *Architecture) fuse(input int) {
	s := a.steps[input]
	if s.kind == normaliseStep && a.users[input] == 1 {
		a.fused[input] = true
	}
	if s.kind != addStep || a.users[input] > 1 {
		return
	}
	left, right := s.inputs[0], s.inputs[1]
	samePerImage := a.steps[left].perImage == a.steps[right].perImage
	if a.steps[left].kind == normaliseStep && a.users[left] == 1 && samePerImage {
		a.fused[left], a.fused[input] = true, true
	}
}

// sizes returns the height and width of each step's output for images of a size. The error names
// the step that can't compute its output.
func (a Architecture) sizes(height, width int) ([][2]int, error) {
	all := make([][2]int, len(a.steps))
	for i, s := range a.steps {
		if s.kind == imageStep {
			all[i] = [2]int{height, width}
			continue
		}
		in := all[s.inputs[0]]
		all[i] = in
		switch s.kind {
		case convolutionStep:
			all[i] = [2]int{s.layer.outputSide(in[0]), s.layer.outputSide(in[1])}
		case maxPoolStep:
			all[i] = [2]int{in[0] / 2, in[1] / 2}
		case stemPoolStep:
			all[i] = [2]int{(in[0] + 1) / 2, (in[1] + 1) / 2}
		case averagePoolStep:
			all[i] = [2]int{1, 1}
		case denseStep:
			if in != [2]int{1, 1} {
				return nil, fmt.Errorf("%s takes one pixel and gets %d x %d", s.name(), in[0],
					in[1])
			}
		case addStep:
			if other := all[s.inputs[1]]; other != in {
				return nil, fmt.Errorf("a sum gets images of %d x %d and %d x %d pixels",
					in[0], in[1], other[0], other[1])
			}
		}
		if min(all[i][0], all[i][1]) < 1 {
			return nil, fmt.Errorf("%s shrinks %d x %d pixels below one", s.name(), in[0], in[1])
		}
	}
	return all, nil
}

// outputSide returns the side of a convolution's output, below 1 if the input is too small.
func (l layer) outputSide(side int) int {
	if side+2*l.padding < l.kernel {
		return 0
	}
	return (side+2*l.padding-l.kernel)/l.stride + 1
}

// largestTried is the largest side of images that sides tries.
const largestTried = 512

// sides describes the square images that the network takes, and reports whether there are any.
func (a Architecture) sides() (text string, ok bool) {
	first, last := 0, 0
	for side := 1; side <= largestTried; side++ {
		if _, err := a.sizes(side, side); err == nil {
			first, last = cmp.Or(first, side), side
		}
	}
	if last == largestTried {
		return fmt.Sprintf("%d pixels and more", first), true
	}
	return fmt.Sprintf("%d to %d pixels", first, last), last > 0
}

// text describes everything that a network computes, for its fingerprint.
func (a Architecture) text() string {
	var text strings.Builder
	for _, s := range a.steps {
		l := s.layer
		fmt.Fprintf(&text, "%s %v %d", s.kind, s.inputs, s.channels)
		if l.name != "" {
			fmt.Fprintf(&text, " %s kernel %d stride %d padding %d bias %t start %d dropout %g",
				l.name, l.kernel, l.stride, l.padding, l.bias, slices.Index(starts, l.start),
				l.dropout)
		}
		if l.certain {
			text.WriteString(" no latents")
		}
		fmt.Fprintf(&text, " %s\n", s.normalisation.name)
	}
	fmt.Fprintf(&text, "output %d\n", a.output)
	return text.String()
}
