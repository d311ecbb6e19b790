package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Architecture is the structure of a network: a list of steps from images [images, height, width,
// 3] to logits [rows, classes], in the order of their definition, with its stochastic layers and
// its batch normalisations.
type Architecture struct {
	HasNormalisation bool // a batch normalisation, which has running statistics
	HasDropout       bool // layers have dropout if the network is without latents
	Parameters       int  // deterministic ones
	// Without lists the layers of a network from a file that can't have latents, and why.
	Without []string

	layers         []layer
	normalisations []normalisation

	steps  []step // none if the network is unknown or can't be built
	output int
	users  []int  // number of steps that use each, and 1 more for the output
	fused  []bool // computed as part of a later ReLU

	graph   *graphNetwork // of a network in a file; nil for others, whose steps compute them
	problem error         // of a network that can't be built
}

// layer is one stochastic layer: a convolution with its kernel, or a dense layer when kernel is
// zero.
type layer struct {
	name            string
	kernel          int // side of the square kernel; 0 for a dense layer
	in, out         int // channels or features
	stride, padding int
	bias            bool
	first           bool    // its input is the image
	start           string  // how it's initialised
	dropout         float64 // probability of dropping an input without latents; 0 means none
	certain         bool    // it has no latents in any mode
}

// normalisation is one batch normalisation over the channels of a layer's output.
type normalisation struct {
	name     string
	channels int
}

// Architecture builds the architecture that filled settings name. It has no layers if Undefined
// returns an error.
func (n Network) Architecture(classes int) Architecture {
	d := definitionOf(n.Name)
	if d.build == nil {
		return Architecture{problem: n.Undefined()}
	}
	a, err := d.architecture(n, classes)
	if err != nil {
		return Architecture{problem: err} // that CheckSize returns
	}
	return a
}

// Layers returns the names of the layers with latents, in the order of the forward pass.
func (a Architecture) Layers() []string {
	return quantity.Texts(a.noisy(), func(l layer) string { return l.name })
}

// noisy returns the layers with latents, unless the mode has none.
func (a Architecture) noisy() []layer {
	return slices.DeleteFunc(slices.Clone(a.layers), func(l layer) bool { return l.certain })
}

// choose leaves latents only in layers whose names match one of the patterns, separated by commas
// or spaces; "" leaves all. A star matches any text.
func choose(patterns string, layers []*layer) {
	var names, chosen []string
	for _, l := range layers {
		if l.name != "" && !l.certain {
			names = append(names, l.name)
		}
	}
	for _, pattern := range patternsIn(patterns) {
		matches := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`,
			".*") + "$")
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return !matches.MatchString(name)
		})
		require(len(found) > 0, "no layer with latents is called %q%s: choose from %s, with * "+
			"for any text",
			pattern, nearest.Hint(pattern, names), strings.Join(names, ", "))
		chosen = append(chosen, found...)
	}
	for _, l := range layers {
		l.certain = l.certain || patterns != "" && !slices.Contains(chosen, l.name)
	}
}

// patternsIn separates the patterns of Network.Latents.
func patternsIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
}

// Split returns each stochastic layer as an architecture, in the order of the forward pass, to
// count what belongs to it.
func (a Architecture) Split() []Architecture {
	parts := make([]Architecture, len(a.layers))
	for i, l := range a.layers {
		parts[i] = Architecture{layers: []layer{l}, steps: a.steps, Parameters: l.parameters()}
	}
	return parts
}

// Latents returns the number D of latent variables of the network in a mode.
func (a Architecture) Latents(mode Mode) (count int) {
	for _, l := range a.noisy() {
		count += latentDimensions(mode, l.in, l.out)
	}
	return count
}

// CheckSize returns an error if the network can't take images of a size.
func (a Architecture) CheckSize(name string, height, width int) error {
	if a.graph != nil {
		return a.graph.checkSize(name, height, width)
	}
	_, err := a.sizes(height, width)
	if a.problem != nil || err == nil {
		return a.problem
	}
	sides, _ := a.sides()
	return fmt.Errorf("network: %s takes no images of %d x %d pixels: %w; it takes square images "+
		"of %s",
		name, height, width, err, sides)
}

// MultiplyAdds returns the numbers of multiply-adds in the layers with weights, for one forward
// pass of one image, and for it with both gradients. The first layer's input has no gradient.
func (a Architecture) MultiplyAdds(height, width int) (forward, training int) {
	for i, l := range a.layers {
		own := a.multiplyAdds(l, height, width)
		forward, training = forward+own, training+min(i+2, 3)*own
	}
	return forward, training
}

// Outputs returns the number of values that all layers together give for one image, and the most
// that one layer gives.
func (a Architecture) Outputs(height, width int) (all, largest int) {
	for _, l := range a.layers {
		own := a.positions(l, height, width) * l.out
		all, largest = all+own, max(largest, own)
	}
	return all, largest
}

// positions returns the number of places at which a convolution applies its kernel to an image of
// a size, or 0 for an image that the network can't take.
func (a Architecture) positions(l layer, height, width int) int {
	if a.graph != nil {
		return a.graph.byName[l.name].Positions
	}
	if l.kernel == 0 {
		return 1
	}
	sizes, err := a.sizes(height, width)
	if err != nil {
		return 0
	}
	i := slices.IndexFunc(a.steps, func(s step) bool { return s.layer.name == l.name })
	return sizes[i][0] * sizes[i][1]
}

func (a Architecture) multiplyAdds(l layer, height, width int) int {
	if a.graph != nil {
		return a.positions(l, height, width) * a.graph.size(l.name)
	}
	return a.positions(l, height, width) * l.fanIn() * l.out
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
