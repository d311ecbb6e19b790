package network

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// Architecture is the structure of a network: its stochastic layers and its batch normalisations,
// in order, and its forward pass from images [images, height, width, 3] to logits [rows, classes].
type Architecture struct {
	layers         []layer
	normalisations []normalisation
	plan           *plan // nil if the network is unknown or can't be built
	problem        error // of a network that can't be built
}

// forward builds the forward pass.
func (a Architecture) forward(p *pass, images *Node) *Node { return a.plan.forward(p, images) }

// layer is one stochastic layer: a convolution with its kernel, or a dense layer when kernel is
// zero.
type layer struct {
	name            string
	kernel          int // side of the square kernel; 0 for a dense layer
	in, out         int // channels or features
	stride, padding int
	bias            bool
	first           bool    // its input is the image
	start           Start   // how it's initialised
	dropout         float64 // probability of dropping an input without latents; 0 means none
}

// normalisation is one batch normalisation over the channels of a layer's output.
type normalisation struct {
	name     string
	channels int
}

// Architecture builds the architecture that filled settings name. One that Undefined reports has no
// layers.
func (n Network) Architecture(classes int) Architecture {
	if d := definitionOf(n.Name); d.build != nil {
		return d.architecture(n, classes)
	}
	return Architecture{problem: n.Undefined()}
}

// Layers returns the names of the layers with latents, in the order of the forward pass.
func (a Architecture) Layers() (names []string) {
	for _, l := range a.layers {
		names = append(names, l.name)
	}
	return names
}

// Split returns each stochastic layer as an architecture of its own, in the order of the forward
// pass, to count what belongs to it.
func (a Architecture) Split() []Architecture {
	parts := make([]Architecture, len(a.layers))
	for i, l := range a.layers {
		parts[i] = Architecture{layers: []layer{l}, plan: a.plan}
	}
	return parts
}

// HasNormalisation reports whether there is a batch normalisation, which has running statistics.
func (a Architecture) HasNormalisation() bool { return len(a.normalisations) > 0 }

// HasDropout reports whether layers of the network have dropout if it's without latents.
func (a Architecture) HasDropout() bool {
	return slices.ContainsFunc(a.layers, func(l layer) bool { return l.dropout > 0 })
}

// Latents returns the number D of latent variables of the network in a mode.
func (a Architecture) Latents(mode Mode) (count int) {
	for _, l := range a.layers {
		count += latentDimensions(mode, l.in, l.out)
	}
	return count
}

// CheckSize returns an error if the network can't take images of a size.
func (a Architecture) CheckSize(name string, height, width int) error {
	if a.problem != nil || a.plan == nil {
		return a.problem
	}
	return a.plan.checkSize(name, height, width)
}

// Parameters returns the number of deterministic parameters.
func (a Architecture) Parameters() (count int) {
	for _, l := range a.layers {
		count += l.parameters()
	}
	for _, n := range a.normalisations {
		count += 2 * n.channels
	}
	return count
}

// MultiplyAdds returns the number of multiply-adds in the layers with weights, for one forward pass
// of one square image.
func (a Architecture) MultiplyAdds(side int) (count int) {
	for _, l := range a.layers {
		count += a.multiplyAdds(l, side)
	}
	return count
}

// TrainingMultiplyAdds returns the number of multiply-adds in the layers with weights, for the
// forward pass of one square image and both gradients. The first layer's input has no gradient.
func (a Architecture) TrainingMultiplyAdds(side int) int {
	if len(a.layers) == 0 {
		return 0
	}
	return 3*a.MultiplyAdds(side) - a.multiplyAdds(a.layers[0], side)
}

// Outputs returns the number of values that all layers together give for one square image.
func (a Architecture) Outputs(side int) (count int) {
	for _, l := range a.layers {
		count += a.positions(l, side) * l.out
	}
	return count
}

// LargestOutput returns the most values that a layer gives for one square image.
func (a Architecture) LargestOutput(side int) (count int) {
	for _, l := range a.layers {
		count = max(count, a.positions(l, side)*l.out)
	}
	return count
}

// positions returns the number of places at which a convolution applies its kernel to an image of
// the given side.
func (a Architecture) positions(l layer, side int) int {
	if l.kernel == 0 {
		return 1
	}
	return a.plan.positions(l, side)
}

func (a Architecture) multiplyAdds(l layer, side int) int {
	return a.positions(l, side) * l.fanIn() * l.out
}

// fanIn returns the number of inputs that one output sees.
func (l layer) fanIn() int { return max(1, l.kernel*l.kernel) * l.in }

// weightShape returns [kernel, kernel, in, out] for a convolution and [in, out] for a dense layer.
func (l layer) weightShape() []int {
	if l.kernel == 0 {
		return []int{l.in, l.out}
	}
	return []int{l.kernel, l.kernel, l.in, l.out}
}

// parameters returns the number of deterministic parameters.
func (l layer) parameters() int {
	count := l.fanIn() * l.out
	if l.bias {
		count += l.out
	}
	return count
}

// latentDimensions returns D of a layer with the given input and output channels.
func latentDimensions(mode Mode, in, out int) int {
	switch mode {
	case Input:
		return in
	case Both:
		return in + out
	case Deterministic:
		return 0
	default:
		return out
	}
}
