package network

import (
	"fmt"
	"slices"
	"strings"
)

// stepKind says what a step of a plan computes.
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

// step is one operation of a network.
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

// plan is a network as a list of steps, in the order of their definition.
type plan struct {
	steps  []step
	output int
	users  []int  // number of steps that use each, and 1 more for the output
	fused  []bool // computed as part of a later ReLU
}

// newPlan returns the plan of a builder's steps, of which output must give the logits.
func newPlan(b *Builder, output Value) plan {
	require(output.builder == b,
		"the definition returns no value of its Builder: return the last layer's")
	hasWeights := func(s step) bool { return s.layer.name != "" }
	require(slices.ContainsFunc(b.steps, hasWeights), "it has no layer with weights: add one")
	last := b.steps[output.step]
	require(last.flat && last.channels == b.classes,
		"it ends with %s, want %d features, one for each class: "+
			"end with Dense{Features: b.Classes()}, or with AveragePool",
		last, b.classes)
	return planOf(output)
}

// planOf returns the plan of the steps of a value's builder, which all have to be used.
func planOf(output Value) plan {
	steps := output.builder.steps
	p := plan{steps: steps, output: output.step, users: make([]int, len(steps)), fused: make([]bool, len(steps))}
	p.users[p.output]++
	for _, s := range p.steps {
		for _, input := range s.inputs {
			p.users[input]++
		}
	}
	for i, s := range p.steps {
		require(p.users[i] > 0, "nothing uses %s: remove it", s.name())
		if s.kind == rectifyStep {
			p.fuse(s.inputs[0])
		}
	}
	return p
}

// fuse marks the input of a ReLU that the ReLU computes: a normalisation, with a sum between them
// if there is one.
func (p *plan) fuse(input int) {
	s := p.steps[input]
	if s.kind == normaliseStep && p.users[input] == 1 {
		p.fused[input] = true
	}
	if s.kind != addStep || p.users[input] > 1 {
		return
	}
	left, right := s.inputs[0], s.inputs[1]
	samePerImage := p.steps[left].perImage == p.steps[right].perImage
	if p.steps[left].kind == normaliseStep && p.users[left] == 1 && samePerImage {
		p.fused[left], p.fused[input] = true, true
	}
}

// architecture returns the network's layers with its forward pass.
func (p plan) architecture() Architecture {
	a := Architecture{plan: &p}
	for _, s := range p.steps {
		switch s.kind {
		case convolutionStep, denseStep:
			a.layers = append(a.layers, s.layer)
		case normaliseStep:
			a.normalisations = append(a.normalisations, s.normalisation)
		}
	}
	return a
}

// sizes returns the height and width of each step's output for images of a size. The error says
// which step can't compute its output.
func (p plan) sizes(height, width int) ([][2]int, error) {
	all := make([][2]int, len(p.steps))
	for i, s := range p.steps {
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
				return nil, fmt.Errorf("%s takes one pixel and gets %d x %d", s.name(), in[0], in[1])
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
func (p plan) sides() (text string, ok bool) {
	var fitting []int
	for side := 1; side <= largestTried; side++ {
		if _, err := p.sizes(side, side); err == nil {
			fitting = append(fitting, side)
		}
	}
	if len(fitting) == 0 {
		return "", false
	}
	first, last := fitting[0], fitting[len(fitting)-1]
	if last == largestTried {
		return fmt.Sprintf("%d pixels and more", first), true
	}
	return fmt.Sprintf("%d to %d pixels", first, last), true
}

// text describes everything that a network computes, for its fingerprint.
func (p plan) text() string {
	var text strings.Builder
	for _, s := range p.steps {
		l := s.layer
		fmt.Fprintf(&text, "%s %v %d", s.kind, s.inputs, s.channels)
		if l.name != "" {
			fmt.Fprintf(&text, " %s kernel %d stride %d padding %d bias %t start %d dropout %g",
				l.name, l.kernel, l.stride, l.padding, l.bias, slices.Index(starts, l.start), l.dropout)
		}
		fmt.Fprintf(&text, " %s\n", s.normalisation.name)
	}
	fmt.Fprintf(&text, "output %d\n", p.output)
	return text.String()
}

// checkSize returns an error if the network can't take images of a size.
func (p plan) checkSize(name string, height, width int) error {
	_, err := p.sizes(height, width)
	if err == nil {
		return nil
	}
	sides, _ := p.sides()
	return fmt.Errorf("network: %s takes no images of %d x %d pixels: %w; "+
		"it takes square images of %s",
		name, height, width, err, sides)
}

// positions returns the number of pixels of a layer's output for a square image, or 0 for an image
// that the network can't take.
func (p plan) positions(l layer, side int) int {
	sizes, err := p.sizes(side, side)
	if err != nil {
		return 0
	}
	i := slices.IndexFunc(p.steps, func(s step) bool { return s.layer.name == l.name })
	return sizes[i][0] * sizes[i][1]
}
