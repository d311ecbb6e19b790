package nbbnn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// computeType is the type that networks compute in.
const computeType = dtypes.Float32

// architecture is what a network is made of: its stochastic layers and its batch normalisations, in order, and its forward
// pass from images [images, height, width, 3] to logits [rows, classes].
type architecture struct {
	layers         []layer
	normalisations []normalisation
	smallestSide   int // of an image that the network can take
	largestSide    int // 0 if there's no limit
	forward        func(p *pass, x *Node) *Node
}

// newArchitecture builds the architecture that the configuration names.
func newArchitecture(config Network, classes int) architecture {
	return publicationOf(config.Name).build(config, classes)
}

// checkSide returns an error if the network can't take images of a size.
func (a architecture) checkSide(name string, height, width int) error {
	smallest, largest := min(height, width), max(height, width)
	if smallest < a.smallestSide {
		return fmt.Errorf("nbbnn: images of %d x %d pixels are too small for %s: it takes %d pixels and more", height, width, name, a.smallestSide)
	}
	if a.largestSide > 0 && largest > a.largestSide {
		return fmt.Errorf("nbbnn: images of %d x %d pixels are too large for %s: it takes %d to %d pixels; resnet18 takes any from 8",
			height, width, name, a.smallestSide, a.largestSide)
	}
	return nil
}

// parameters is the number of deterministic parameters.
func (a architecture) parameters() (count int) {
	for _, l := range a.layers {
		count += l.parameters()
	}
	for _, n := range a.normalisations {
		count += 2 * n.channels
	}
	return count
}

// multiplications is the number of multiply-adds in the layers with weights, for one forward pass of one image.
func (a architecture) multiplications(side int) (count int) {
	for _, l := range a.layers {
		count += l.positions(side) * l.fanIn() * l.out
	}
	return count
}

// MultiplyAdds is the number of multiplications and additions of one forward pass of one square image with the given side,
// in the layers with weights.
func (c Config) MultiplyAdds(side, classes int) int {
	return newArchitecture(c.WithDefaults().Network, classes).multiplications(side)
}
